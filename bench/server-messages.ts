/** What a server process tells the process that started it. */
export type ServerMessage =
  | { readonly kind: "listening"; readonly port: number }
  /** CPU time, user and system, of all threads of the process since its start. */
  | { readonly kind: "cpu"; readonly microseconds: number };

/** The SQLite file that a server reads: its only argument. */
export function databaseFile(): string {
  const [, , file] = process.argv;
  if (file === undefined) throw new Error("This server is started by the bench, with the file of its database.");
  return file;
}

/** Tells the parent process the port, and its CPU time whenever it sends any message. Ends with the parent. */
export function reportTo(port: number): void {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    send({ kind: "cpu", microseconds: user + system });
  });
  process.on("disconnect", () => process.exit());
  send({ kind: "listening", port });
}

function send(message: ServerMessage): void {
  process.send?.(message);
}
