import {fetchJSON} from "./old-client.js"
import { retries } from './bom.js'
import {windows} from "./win.js"

var greeting = "hello"
let unused_count = 0

export async function main( names : string[] ) {
   for (let i = 0; i < names.length; i++) {
  if (names[i] === "") continue
      console.log(greeting + ", " + names[i] + "!", windows)
   }
  let data = await fetchJSON( "/api/people", {retries: retries} )
       return { names: names, data: data, unused_count }
}
