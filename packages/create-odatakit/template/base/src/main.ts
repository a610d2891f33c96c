import process from "node:process";
import { serve } from "odatakit/node";
import { db } from "./model/database.ts";
import { service } from "./service.ts";

const { HOST: host = "127.0.0.1", PORT: port = "3000" } = process.env;
const server = await serve(service, { host, port: Number(port), health: "/healthz", ready: "/readyz" });
console.log(`Listening on ${server.url}/odata`);
// The requests under way end first, then the connections of the database.
const end = async (): Promise<void> => {
  await server.close();
  await db.destroy();
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end());
