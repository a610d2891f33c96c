/** A program that starts Node.js, and waits. */
process.stdout.write("0");
process.stdin.resume().once("end", () => process.exit());
