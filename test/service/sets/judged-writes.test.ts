import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import {
  type Context,
  action,
  authenticated,
  complexType,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  odataError,
  odataService,
  resource,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";

/** How the rule "only while open" is declared. */
type Form = "validate" | "resource" | "hook" | "validate beside hooks";

const FORMS: readonly Form[] = ["validate", "resource", "hook", "validate beside hooks"];
const Place = complexType("Place", { town: edm.string().nullable(), street: edm.string().nullable() });
const Ticket = entityType("Ticket", {
  id: edm.int32().key(),
  status: edm.string(),
  note: edm.string().nullable(),
  place: edm.complex(Place).nullable(),
  parentId: edm.int32().nullable(),
  version: edm.int32().computed(),
});
const ORIGIN = "http://desk.example";
const WRITERS = 20;

interface Row {
  readonly id: number;
  readonly status: string;
  readonly [field: string]: unknown;
}

/** A desk, and the stored state of a ticket. */
interface Desk {
  readonly send: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<number>;
  readonly service: ReturnType<typeof odataService>;
}

const first = { id: 1, status: "open", note: "n", place: { town: "t", street: "s" }, parentId: null, version: 1 };
const isOpen = (stored: object | null): boolean => {
  const { status, place, parentId } = (stored ?? {}) as Row & { readonly place?: { readonly town: string } | null };
  return status === "open" && place?.town !== "closed" && parentId === null;
};
const closed = () => odataError(409, "Closed", "The ticket is closed.");

/** The options of a set whose tickets change only while they are open: each write closes them. */
function ruled(form: Form) {
  const judge = async ({ current }: { readonly current: () => Promise<Row | null> }) =>
    isOpen(await current()) ? undefined : closed();
  const asHook = form === "hook";
  const closing = ({ delta }: { readonly delta: object }) => ({ ...delta, status: "closed" });
  return {
    etag: ["version"] as const,
    idempotentDelete: false,
    ...(form.startsWith("validate") ? { validate: { patch: judge as never } } : {}),
    ...(form === "resource"
      ? {
          authorization: {
            update: resource(async (_user, ticket: object) => {
              await Promise.resolve();
              return isOpen(ticket);
            }),
            create: resource((_user, ticket: object) => (ticket as Row).id > 1 || isOpen(ticket)),
            delete: resource((_user, ticket: object) => isOpen(ticket)),
            invoke: resource((_user, ticket: object) => isOpen(ticket)),
          },
        }
      : {}),
    before: {
      patch: (asHook
        ? async (call: { readonly delta: object; readonly current: () => Promise<Row> }) =>
            isOpen(await call.current()) ? closing(call) : closed()
        : closing) as never,
      ...(form === "resource" || asHook
        ? {
            replace: (async (call: { readonly entity: object; readonly current: () => Promise<Row> }) =>
              !asHook || isOpen(await call.current()) ? { ...call.entity, status: "closed" } : closed()) as never,
          }
        : {}),
      ...(asHook
        ? {
            delete: (async ({ current }: { readonly current: () => Promise<Row> }) =>
              isOpen(await current()) ? undefined : closed()) as never,
          }
        : {}),
    },
    ...(form === "validate beside hooks" ? { after: { patch: () => undefined } } : {}),
  };
}

/** The options without hooks that no rule needs: the statement of the write closes the ticket. */
function unhooked(form: Form): object {
  const { before: _before, after: _after, ...others } = ruled(form);
  return form === "hook" || form === "validate beside hooks" ? ruled(form) : others;
}

function deskOver(sets: readonly unknown[], open: { readonly set: unknown }): Desk {
  const service = odataService({
    profile: "standard",
    batch: { json: true },
    authenticate: () => ({ id: "ann" }),
    authorization: [authenticated()],
    entitySets: sets as never,
    actions: {
      closeAll: action({
        returns: edm.boolean(),
        handler: async (_given, ctx) =>
          (await ctx.sets(open.set as never).patch(1 as never, { status: "closed" } as never)) !== null,
      }),
    },
    logger: { error: console.error, warn: () => undefined, info: () => undefined },
  });
  const send: Desk["send"] = async (method, path, body, headers = {}) => {
    const type = body === undefined ? {} : { "Content-Type": "application/json" };
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const request = new Request(`${ORIGIN}/${path}`, { method, headers: { ...type, ...headers }, ...init });
    const { status } = await service.fetch(request);
    return status;
  };
  return { send, service };
}

function tableDesk(db: AnyDatabase, form: Form): Desk {
  const tickets = sqlEntitySet(Ticket, {
    db,
    table: "tickets",
    operations: ["read", "create", "replace", "patch", "delete"],
    rowVersion: "version",
    columns: { parentId: "parent_id" },
    navigation: {
      children: hasMany(Ticket, { on: { id: "parentId" }, target: "Tickets" }),
      parent: hasOptional(Ticket, { on: { parentId: "id" }, target: "Tickets" }),
    },
    actions: {
      close: action({
        bound: "entity",
        transactional: true,
        handler: async (id, _given, ctx): Promise<undefined> =>
          void (await ctx.sets(tickets as never, { trusted: true }).patch(id as never, { status: "closed" })),
      }),
    },
    ...unhooked(form),
    ...(form === "resource" && {
      after: {
        create: async ({ ctx }: { readonly ctx: Context }) =>
          void (await ctx.sets(tickets as never, { trusted: true }).patch(1 as never, { status: "closed" })),
      },
    }),
  });
  return deskOver([tickets], { set: tickets });
}

/** The same over objects, whose handlers take some turns of the event loop. */
function listDesk(form: Form): Desk {
  const stored = new Map<number, Row>([[1, first]]);
  const later = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  };
  const save = async (id: number, change: (row: Row) => object | null): Promise<Row | null> => {
    await later();
    const row = stored.get(id);
    const changed = row === undefined ? null : change(row);
    if (row === undefined || changed === null) return null;
    const next = { ...row, ...changed, version: Number(row["version"]) + 1 };
    stored.set(id, next);
    return next;
  };
  const tickets = entitySet(Ticket, {
    getAll: () => [...stored.values()] as never,
    getByKey: async (id: number) => {
      await later();
      return (stored.get(id) ?? null) as never;
    },
    patch: ((id: number, delta: object) => save(id, () => delta)) as never,
    replace: ((id: number, entity: object) => save(id, () => entity)) as never,
    delete: async (id: number) => {
      await later();
      return stored.delete(id);
    },
    ...unhooked(form),
  });
  return deskOver([tickets], { set: tickets });
}

/** The writes of a ticket that close it, by name. */
const WRITES: Readonly<Record<string, (desk: Desk) => Promise<number>>> = {
  PATCH: ({ send }) => send("PATCH", "Tickets(1)", { Status: "closed" }),
  "PATCH with If-Match": ({ send }) => send("PATCH", "Tickets(1)", { Status: "closed" }, { "If-Match": "*" }),
  "PUT of a property": ({ send }) => send("PUT", "Tickets(1)/Status", { value: "closed" }),
  "PATCH of a property": ({ send }) => send("PATCH", "Tickets(1)/Status", { value: "closed" }),
  "a JSON batch": async ({ service }) => {
    const operation = { id: "1", method: "PATCH", url: "Tickets(1)", body: { Status: "closed" }, atomicityGroup: "g" };
    const headers = { "Content-Type": "application/json", "OData-Version": "4.01" };
    const body = JSON.stringify({ requests: [operation] });
    const response = await service.fetch(new Request(`${ORIGIN}/$batch`, { method: "POST", headers, body }));
    const { responses } = (await response.json()) as { responses: ReadonlyArray<{ status: number }> };
    return responses[0]?.status ?? response.status;
  },
  "ctx.sets": ({ send }) => send("POST", "closeAll"),
  "PUT of a member": ({ send }) => send("PUT", "Tickets(1)/Place/Town", { value: "closed" }),
  "PATCH of a complex property": ({ send }) => send("PATCH", "Tickets(1)/Place", { Town: "closed" }),
};
/** The writes that `validate.patch` does not judge. */
const OTHERS: typeof WRITES = {
  PUT: ({ send }) => send("PUT", "Tickets(1)", { Status: "closed" }),
  DELETE: ({ send }) => send("DELETE", "Tickets(1)"),
};
/** The writes of tables that rules alone judge. */
const RELATED: typeof WRITES = {
  "PUT of a link": ({ send }) => send("PUT", "Tickets(1)/Parent/$ref", { "@odata.id": "Tickets(2)" }),
  "POST along a navigation": ({ send }) =>
    send("POST", "Tickets(1)/Children", { Id: ids.next().value, Status: "open" }),
  "call of a transactional action": ({ send }) => send("POST", "Tickets(1)/Default.close"),
};
const ids = (function* counting(): Generator<number, never> {
  for (let id = 100; ; id += 1) yield id;
})();

const count = (statuses: readonly number[]): object => ({
  done: statuses.filter((status) => status < 300).length,
  refused: [...new Set(statuses.filter((status) => status >= 300))],
});

async function race(desk: Desk, write: (desk: Desk) => Promise<number>): Promise<object> {
  return count(await Promise.all(Array.from({ length: WRITERS }, () => write(desk))));
}

describe.each(FORMS)("of twenty concurrent writes by a rule in the form %s", (form) => {
  const judged = form.startsWith("validate") ? WRITES : { ...WRITES, ...OTHERS };
  const refused = (name: string): readonly number[] => {
    if (name === "DELETE") return [404];
    return form === "resource" ? [403] : [409];
  };

  describe("over objects", () => {
    test.each(Object.keys(judged).filter((name) => name !== "a JSON batch"))("one %s succeeds", async (name) => {
      expect(await race(listDesk(form), judged[name] as never)).toEqual({ done: 1, refused: refused(name) });
    });
  });

  describe.each(ENGINES)("over $title", (engine) => {
    let opened: OpenDatabase;
    beforeAll(async () => {
      opened = await engine.open();
      await sql`create table tickets (id int not null primary key, status varchar(10) not null, note varchar(10), place_town varchar(10), place_street varchar(10), parent_id int, version int not null)`.execute(
        opened.db,
      );
    });
    afterAll(() => opened.close());
    beforeEach(async () => {
      await sql`delete from tickets`.execute(opened.db);
      await sql`insert into tickets values (1, 'open', 'n', 't', 's', null, 1), (2, 'open', 'n', 't', 's', null, 1)`.execute(
        opened.db,
      );
    });

    const writes = form === "resource" ? { ...judged, ...RELATED } : judged;
    test.each(Object.keys(writes))("one %s succeeds", async (name) => {
      expect(await race(tableDesk(opened.db, form), writes[name] as never)).toEqual({
        done: 1,
        refused: refused(name),
      });
    });
  });
});
