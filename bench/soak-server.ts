/** The server that the soak loads: the service of `soak-model.ts`, with short timeouts. */
import { serve } from "odatakit/node";
import { openDatabase } from "./open-database.ts";
import { databasePlace, reportTo } from "./server-messages.ts";
import { SOAK_TIMEOUTS } from "./soak/rude-clients.ts";
import { soakService, type Logged } from "./soak/soak-model.ts";

const db = openDatabase(databasePlace());
const logged: Logged = { errors: [] };
const server = await serve(soakService(db, logged), { port: 0, host: "127.0.0.1", ...SOAK_TIMEOUTS });
reportTo(server.port, {
  errors: () => logged.errors.splice(0),
  close: async () => {
    await server.close();
    await db.destroy();
  },
});
