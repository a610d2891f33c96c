import { request as send } from "node:http";

/** Headers of every request to either server: both servers write the same links. */
export const HOST = "bench.example";

/** A complete response. */
export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** The parts of a request besides its target. Without them, the request is a `GET`. */
export interface Asked {
  readonly method?: "POST" | "PATCH";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends one request to a server on this machine. */
export function ask(port: number, path: string, { method, headers, body }: Asked = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, method: method ?? "GET", headers: { host: HOST, ...headers } };
    const request = send(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const headers = new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
        resolve({ status: response.statusCode ?? 0, headers, body: Buffer.concat(chunks) });
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}
