import type { Kysely } from "kysely";
import { odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { WorldDatabase } from "./database.ts";
import { City, Country } from "./model.ts";

/** The world as an OData service: every read option is on, 1000 rows to a page. */
export function worldService(db: Kysely<WorldDatabase>): ODataService {
  return odataService({
    prefix: "/odata",
    namespace: "World",
    entitySets: [
      sqlEntitySet(Country, { db, table: "countries", operations: ["read"] }),
      sqlEntitySet(City, { db, table: "cities", operations: ["read"] }),
    ],
  });
}
