import { sql } from "kysely";
import { edm, entityType, enumType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase } from "../../engine/executors/engines.ts";
import { watching } from "../distributed/watched-database.ts";
import { sentStatements } from "./sent-statements.ts";

const Status = enumType("Status", { open: 0, closed: 1, lost: 2 });
const Ticket = entityType("Ticket", {
  id: edm.int32().key(),
  status: edm.enum(Status).nullable(),
  mood: edm.enum(Status).nullable(),
  word: edm.enum(Status).nullable(),
  mapped: edm.enum(Status).nullable(),
});
/** `mood` lacks a label of the declared type. */
const TYPES = [
  "create type state as enum ('lost', 'open', 'closed')",
  "create type mood as enum ('c', 'o')",
  "create domain word as state",
  "create table tickets (id int primary key, status state, mood mood, word word, mapped word)",
  `insert into tickets select i, (array['open','closed','lost',null])[1 + i % 4]::state, (array['o','c',null])[1 + i % 3]::mood,
    (array['open','closed','lost'])[1 + i % 3]::state, 'open' from generate_series(1, 12) as i`,
  "create index tickets_status on tickets (status)",
];

const FILTERS = [
  "Status eq 'open'",
  "Status ne 'open'",
  "not (Status eq 'closed')",
  "Status in ('open','lost')",
  "Status in ('open',null)",
  "'lost' eq Status",
  "Word eq 'closed'",
  "Mapped in ('open','lost')",
  "Status gt 'open'",
  "Status eq Word",
  "Mood eq 'open'",
  "Mood eq 'lost'",
  "Mood ne 'lost'",
  "Mood in ('closed','lost')",
];

describe.each(ENGINES.filter(({ name }) => name === "postgres"))("enumeration types of $title", (engine) => {
  const serve = (db: AnyDatabase, distributed: boolean): ODataService =>
    odataService({
      profile: "standard",
      schemaCheck: false,
      entitySets: [
        sqlEntitySet(Ticket, {
          db,
          table: "tickets",
          operations: ["read"],
          distributed,
          columns: {
            mood: { storage: { values: { open: "o", closed: "c", lost: "l" } } },
            mapped: { storage: { values: { closed: "open", open: "closed", lost: "lost" } } },
          },
        }),
      ],
    });
  const idsOf = async (service: ODataService, filter: string): Promise<unknown> => {
    const target = `http://service.example/Tickets?$filter=${encodeURIComponent(filter)}&$select=Id`;
    const response = await service.fetch(new Request(target));
    const { value } = (await response.json()) as { readonly value?: readonly { readonly Id: number }[] };
    return value?.map(({ Id }) => Id) ?? response.status;
  };

  test.each([false, true])("are compared in their own type, if distributed is %s", async (distributed) => {
    const { db, close } = await (distributed ? watching(engine)() : engine.open());
    for (const text of TYPES) await sql.raw(text).execute(db);
    const service = serve(db, distributed);
    const found: Record<string, unknown> = {};
    const sent = await sentStatements(db, async () => {
      for (const filter of FILTERS) found[filter] = await idsOf(service, filter);
    });
    expect(found).toEqual({
      "Status eq 'open'": [4, 8, 12],
      "Status ne 'open'": [1, 2, 3, 5, 6, 7, 9, 10, 11],
      "not (Status eq 'closed')": [2, 3, 4, 6, 7, 8, 10, 11, 12],
      "Status in ('open','lost')": [2, 4, 6, 8, 10, 12],
      "Status in ('open',null)": [3, 4, 7, 8, 11, 12],
      "'lost' eq Status": [2, 6, 10],
      "Word eq 'closed'": [1, 4, 7, 10],
      "Mapped in ('open','lost')": [],
      "Status gt 'open'": [1, 2, 5, 6, 9, 10],
      "Status eq Word": [1, 2, 12],
      "Mood eq 'open'": [3, 6, 9, 12],
      "Mood eq 'lost'": [],
      "Mood ne 'lost'": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
      "Mood in ('closed','lost')": [1, 4, 7, 10],
    });
    const conditions = sent.flatMap(
      ({ sql: text }) => /"tickets" as "it" where (.*?) (?:order by|and 1)/.exec(text)?.[1] ?? [],
    );
    expect(conditions.slice(0, 4)).toEqual([
      `"status" = $1`,
      `("status" <> $1 or "status" is null)`,
      `not (("status" = $1 and "status" is not null))`,
      `"status" in ($1, $2)`,
    ]);
    await close();
  });
});
