import { handle } from "./service.ts";

interface BunServer {
  readonly port: number;
}
declare const Bun: {
  serve(options: { port: number; hostname: string; fetch(request: Request): Promise<Response> }): BunServer;
};

const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => handle(request) });
console.log(`http://127.0.0.1:${String(server.port)}`);
