import {
  action,
  arraySource,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasOptional,
  type Logger,
  odataService,
  resource,
} from "odatakit";
import { describe, expect, test } from "vitest";
import { expectError, rawDoor } from "./doors.ts";

const SECRET = "password=hunter2";
const Part = entityType("Part", { id: edm.int32().key(), name: edm.string().nullable() });
const PARTS = [{ id: 1, name: null }];
const part = () => PARTS[0]!;

/** Values that careless code throws: errors with a status, a body or headers, and values that are not errors. */
const THROWN: readonly unknown[] = [
  Object.assign(new Error(SECRET), { status: 400, statusCode: 400, code: SECRET, target: SECRET, expose: true }),
  { status: 404, code: SECRET, message: SECRET, headers: { "X-Leak": SECRET }, toJSON: () => SECRET },
  SECRET,
];

/** A service all of whose handlers throw. */
function failing(thrown: unknown, failsAt: "handlers" | "authenticate" | "rule" | "rows") {
  const logged: unknown[] = [];
  const log: Logger["error"] = (_message, { err }) => logged.push(err);
  const fail = (..._given: readonly unknown[]): never => {
    throw thrown;
  };
  const parts = entitySet(Part, {
    queryable: () => arraySource(Part, PARTS),
    getByKey: part,
    create: fail,
    replace: fail,
    patch: fail,
    delete: fail,
    search: fail,
    navigation: {
      others: hasMany(Part, { target: "Parts", get: fail, create: fail, addRef: fail, removeRef: fail }),
      batches: hasMany(Part, { target: "Parts", getBatch: fail }),
      next: hasOptional(Part, { target: "Parts", get: fail, setRef: fail, removeRef: fail }),
    },
    functions: { size: fn({ bound: "entity", returns: edm.int32(), handler: fail }) },
    actions: { close: action({ bound: "collection", handler: fail }) },
    authorization: {
      ...(failsAt === "rule" ? { read: resource(fail) } : {}),
      ...(failsAt === "rule" || failsAt === "rows" ? { rows: fail } : {}),
    },
  });
  const service = odataService({
    authenticate: failsAt === "authenticate" ? fail : () => ({ id: "ann" }),
    logger: { error: log, warn: () => {}, info: () => {} },
    functions: { now: fn({ returns: edm.int32(), authorization: [], handler: fail }) },
    actions: { reset: action({ authorization: [], handler: fail }) },
    entitySets: [
      parts,
      entitySet(Part, { name: "Applied", applyQuery: fail }),
      entitySet(Part, { name: "Loaded", getAll: fail, getByKey: fail }),
      entitySet(Part, { name: "Queried", queryable: fail }),
    ],
  });
  return { service, logged };
}

const LINK = '{"@odata.id":"Parts(1)"}';

/** One request for each kind of handler. */
const REQUESTS: ReadonlyArray<readonly [target: string, method?: string, body?: string]> = [
  ["/Applied"],
  ["/Loaded"],
  ["/Loaded(1)"],
  ["/Queried"],
  ["/Queried/$count"],
  ["/Parts?$search=x"],
  ["/Parts?$expand=Others"],
  ["/Parts?$expand=Batches"],
  ["/Parts?$filter=Others/any()"],
  ["/Parts(1)/Others"],
  ["/Parts(1)/Next"],
  ["/Parts(1)/size()"],
  ["/now()"],
  ["/Parts", "POST", '{"Id":2}'],
  ["/Parts(1)", "PUT", '{"Name":"x"}'],
  ["/Parts(1)", "PATCH", '{"Name":"x"}'],
  ["/Parts(1)/Name", "PUT", '{"value":"x"}'],
  ["/Parts(1)", "DELETE"],
  ["/Parts(1)/Others", "POST", '{"Id":2}'],
  ["/Parts(1)/Others/$ref", "POST", LINK],
  ["/Parts(1)/Others/$ref?$id=Parts(1)", "DELETE"],
  ["/Parts(1)/Next/$ref", "PUT", LINK],
  ["/Parts(1)/Next/$ref", "DELETE"],
  ["/Parts/close", "POST"],
  ["/reset", "POST"],
];

const SENT = REQUESTS.map(([target, method = "GET", body = ""]) => [target, method, body] as const);

const GENERIC = {
  status: 500,
  code: "InternalServerError",
  message: "The service failed to answer this request. The failure has been logged.",
};

rawDoor((door) => {
  describe("what application code throws is logged, and no client learns of it", () => {
    test.each(SENT)("%s %s", async (target, method, body) => {
      for (const thrown of THROWN) {
        const { service, logged } = failing(thrown, "handlers");
        const headers: Record<string, string> = body === "" ? {} : { "Content-Type": "application/json" };
        expectError(await door.to(service)(target, headers, method, body), GENERIC);
        expect(logged).toEqual([thrown]);
      }
    });

    test.each(["authenticate", "rule", "rows"] as const)("%s", async (place) => {
      for (const thrown of THROWN) {
        const { service, logged } = failing(thrown, place);
        expectError(await door.to(service)("/Parts(1)"), GENERIC);
        expect(logged).toEqual([thrown]);
      }
    });
  });
});
