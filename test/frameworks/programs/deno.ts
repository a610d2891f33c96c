import { handle } from "./service.ts";

interface DenoOptions {
  readonly port: number;
  readonly hostname: string;
  onListen(address: { readonly port: number }): void;
}
declare const Deno: { serve(options: DenoOptions, handler: (request: Request) => Promise<Response>): unknown };

const onListen = ({ port }: { readonly port: number }): void => console.log(`http://127.0.0.1:${String(port)}`);
Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, (request) => handle(request));
