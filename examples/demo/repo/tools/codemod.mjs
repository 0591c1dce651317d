// A codemod as a repository would keep it: it runs the migrations that
// migrations.json lists as pending, then empties the list and removes them.
// Each migration is a file { "move": { from: to }, "delete": [path] }. Paths that
// are gone already are no error, so running it twice changes nothing.
import fs from "node:fs";
import path from "node:path";

const list = JSON.parse(fs.readFileSync("migrations.json", "utf8"));

for (const name of list.pending) {
  const file = `migrations/${name}.json`;
  const migration = JSON.parse(fs.readFileSync(file, "utf8"));
  for (const [from, to] of Object.entries(migration.move ?? {})) move(from, to);
  for (const dead of migration.delete ?? []) fs.rmSync(dead, { force: true });
  fs.rmSync(file);
}
fs.writeFileSync("migrations.json", '{ "pending": [] }\n');

function move(from, to) {
  if (!fs.existsSync(from)) return;
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.renameSync(from, to);
  for (const source of process.argv.slice(2)) {
    if (!fs.existsSync(source) || source === from) continue;
    const text = fs.readFileSync(source, "utf8");
    const before = specifier(source, from);
    const after = specifier(source, to);
    const changed = text.replaceAll(`"${before}"`, `"${after}"`);
    if (changed !== text) fs.writeFileSync(source, changed);
  }
}

function specifier(source, target) {
  const relative = path.posix.relative(path.posix.dirname(source), target);
  const local = relative.startsWith(".") ? relative : `./${relative}`;
  return local.replace(/\.ts$/, ".js");
}
