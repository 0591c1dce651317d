#!/usr/bin/env -S node
const stamp = new Date( 0 ).toISOString()
export { stamp }
