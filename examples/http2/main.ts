import { readFileSync } from "node:fs";
import process from "node:process";
import { odataService } from "odatakit";
import { notes } from "./notes.ts";
import { serveHttp2 } from "./serve-http2.ts";

/** Serves notes over HTTP/2: CERT and KEY are the paths of a certificate and its key, in PEM. */
const { CERT = "cert.pem", KEY = "key.pem", PORT = "3443" } = process.env;
const service = odataService({ prefix: "/odata", entitySets: [notes] });
const server = await serveHttp2(service, { cert: readFileSync(CERT), key: readFileSync(KEY), port: Number(PORT) });
console.log(`${server.url}/odata`);
process.once("SIGTERM", () => void server.close());
