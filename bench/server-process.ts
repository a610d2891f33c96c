import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ServerMessage } from "./server-messages.ts";

/** A server under measurement, in a process of its own. */
export interface ServerProcess {
  readonly name: string;
  readonly port: number;
  /** CPU time that the process has used since its start, in microseconds. */
  cpu(): Promise<number>;
  /** Ends the process; done when it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts a server.
 * @param file the module to run, beside this one
 * @param nodeOptions options of Node.js for its process
 */
export async function startServer(
  name: string,
  file: string,
  databaseFile: string,
  nodeOptions: readonly string[] = [],
): Promise<ServerProcess> {
  const module = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(module, [databaseFile], { execArgv: ["--conditions=source", ...nodeOptions] });
  const started = await nextMessage(child, name);
  if (started.kind !== "listening") throw new Error(`${name} did not say where it listens.`);
  return {
    name,
    port: started.port,
    cpu: async () => {
      const answer = nextMessage(child, name);
      child.send("cpu");
      const message = await answer;
      if (message.kind !== "cpu") throw new Error(`${name} did not say how much CPU time it used.`);
      return message.microseconds;
    },
    stop: async () => {
      if (child.exitCode !== null) return;
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

/** The next message of a process. @throws Error when the process ends instead */
function nextMessage(child: ChildProcess, name: string): Promise<ServerMessage> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => {
      child.off("message", onMessage);
      reject(new Error(`${name} ended (${String(code)}).`));
    };
    const onMessage = (message: unknown): void => {
      child.off("exit", onExit);
      // The only writer of these messages is reportTo.
      resolve(message as ServerMessage);
    };
    child.once("exit", onExit);
    child.once("message", onMessage);
  });
}
