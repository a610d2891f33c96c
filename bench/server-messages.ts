import { type Profiler, Session } from "node:inspector/promises";

/** Messages from the parent process to a server. */
export type ServerRequest =
  | { readonly kind: "cpu" }
  /** Starts the profiler, with so many microseconds between samples. */
  | { readonly kind: "startProfile"; readonly interval: number }
  /** Stops the profiler and requests its profile. */
  | { readonly kind: "stopProfile" };

/** Messages from a server to its parent process. */
export type ServerMessage =
  | { readonly kind: "listening"; readonly port: number }
  /** CPU time, user and system, of all threads of the process since its start. */
  | { readonly kind: "cpu"; readonly microseconds: number }
  | { readonly kind: "profiling" }
  | { readonly kind: "profile"; readonly profile: Profiler.Profile };

const session = new Session();

/** Both servers let the operating system decide when to write to disk: waiting for the disk is not work of a server. */
export const SYNCHRONOUS = "normal";

/** The SQLite file that a server reads: its only argument. */
export function databaseFile(): string {
  const [, , file] = process.argv;
  if (file === undefined) throw new Error("This server is started by the bench, with the file of its database.");
  return file;
}

/** Sends the port to the parent process and replies to its messages. Ends with the parent. */
export function reportTo(port: number): void {
  process.on("message", (request) => {
    // Only the parent process of the bench sends these messages.
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
