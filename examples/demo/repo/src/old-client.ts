export interface Options { retries : number }

export async function fetchJSON(url : string, options : Options) : Promise<unknown> {
	let last : unknown
	for (let i = 0; i < options.retries; i++) {
		try { let response = await fetch(url); return await response.json() } catch (e) { last = e }
	}
	throw last
}
