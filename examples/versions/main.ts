import { serve } from "odatakit/node";
import { v1, v2 } from "./services.ts";

const server = await serve([v1, v2], { port: Number(process.env["PORT"] ?? 3000) });
console.log(`Both versions are served: ${server.url}/v1/Products and ${server.url}/v2/Products?$expand=category`);
