import { Agent } from "node:http";
import { type Answer, ask, type Asked } from "../ask.ts";
import type { Random } from "../random.ts";
import type { Tally } from "./tally.ts";

/** The facts that all clients of one run share. */
export interface SoakRun {
  readonly port: number;
  readonly tally: Tally;
  /** Whether the clients should stop. */
  readonly isOver: () => boolean;
}

/** A client with one connection, which sends one request after the other. */
export class SoakClient {
  readonly run: SoakRun;
  readonly random: Random;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(run: SoakRun, random: Random) {
    this.run = run;
    this.random = random;
  }

  /**
   * Sends a request and counts its response.
   * @returns null if the connection broke, which is a violation
   */
  async send(kind: string, path: string, asked: Asked = {}): Promise<Answer | null> {
    const begun = performance.now();
    try {
      const answer = await ask(this.run.port, path, { ...asked, agent: this.#agent });
      this.run.tally.record(kind, answer.status, performance.now() - begun);
      return answer;
    } catch (error) {
      this.run.tally.record(kind, "broken", performance.now() - begun);
      this.run.tally.violate("broken connection", `${kind}: ${asked.method ?? "GET"} ${path}: ${String(error)}`);
      return null;
    }
  }

  /** The same for a request that has one right status. @returns null for any other one, which is a violation */
  async expect(kind: string, status: number, path: string, asked: Asked = {}): Promise<Answer | null> {
    const answer = await this.send(kind, path, asked);
    if (answer === null || answer.status === status) return answer;
    const { tally } = this.run;
    const text = answer.body.toString("utf8", 0, 300);
    tally.violate("unexpected status", `${kind}: ${asked.method ?? "GET"} ${path}: ${String(answer.status)} ${text}`);
    return null;
  }

  /** Notes that a response is wrong. */
  violate(kind: string, details: string): void {
    this.run.tally.violate(kind, details);
  }

  /** Closes the connection. */
  close(): void {
    this.#agent.destroy();
  }
}

/** A request with a JSON body. */
export function withBody(
  method: "POST" | "PATCH" | "PUT",
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Asked {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { method, body: text, headers: { "content-type": "application/json", ...headers } };
}
