// The first import of every command: an old Node gets a sentence instead of a
// syntax error from a dependency. Keep to what Node 14 understands.

const [major, minor] = process.versions.node.split('.').map(Number);
const offered = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
if (!offered) {
  console.error(
    `Ringspawn needs Node 20.19, 22.12 or later, and this is ${process.versions.node}: install a newer one from nodejs.org.`,
  );
  process.exit(1);
}
