import { type Profiler, Session } from "node:inspector/promises";

/** What the process that started a server asks it. */
export type ServerRequest =
  | { readonly kind: "cpu" }
  /** Starts the profiler, with so many microseconds between samples. */
  | { readonly kind: "startProfile"; readonly interval: number }
  /** Stops the profiler and asks for what it saw. */
  | { readonly kind: "stopProfile" };

/** What a server process tells the process that started it. */
export type ServerMessage =
  | { readonly kind: "listening"; readonly port: number }
  /** CPU time, user and system, of all threads of the process since its start. */
  | { readonly kind: "cpu"; readonly microseconds: number }
  | { readonly kind: "profiling" }
  | { readonly kind: "profile"; readonly profile: Profiler.Profile };

const session = new Session();

/** Both servers leave it to the operating system when what they wrote reaches the disk: its waits are nobody's work. */
export const SYNCHRONOUS = "PRAGMA synchronous = NORMAL";

/** The SQLite file that a server reads: its only argument. */
export function databaseFile(): string {
  const [, , file] = process.argv;
  if (file === undefined) throw new Error("This server is started by the bench, with the file of its database.");
  return file;
}

/** Tells the parent process the port, and answers what it asks. Ends with the parent. */
export function reportTo(port: number): void {
  process.on("message", (request) => {
    // The only writer of these messages is the server process of the bench.
    void answer(request as ServerRequest).then(send);
  });
  process.on("disconnect", () => process.exit());
  send({ kind: "listening", port });
}

async function answer(request: ServerRequest): Promise<ServerMessage> {
  switch (request.kind) {
    case "cpu": {
      const { user, system } = process.cpuUsage();
      return { kind: "cpu", microseconds: user + system };
    }
    case "startProfile":
      session.connect();
      await session.post("Profiler.enable");
      await session.post("Profiler.setSamplingInterval", { interval: request.interval });
      await session.post("Profiler.start");
      return { kind: "profiling" };
    case "stopProfile": {
      const { profile } = await session.post("Profiler.stop");
      session.disconnect();
      return { kind: "profile", profile };
    }
  }
}

function send(message: ServerMessage): void {
  process.send?.(message);
}
