import { edm, entitySet, entityType, odataError, odataService, ODataError, type Context } from "odatakit";
import { describe, expect, test } from "vitest";
import { SEVERITY } from "../http/doors.ts";

const Note = entityType("Note", { id: edm.int32().key(), change: edm.string() });
const Audit = entityType("Audit", { id: edm.int32().key(), change: edm.string({ maxLength: 3 }), kind: edm.string() });

/** Notes whose hooks write audits, which `failing` refuses. */
function openNotes(
  hook: (write: (ctx: Context) => Promise<unknown>, ctx: Context) => unknown,
  {
    change = "abc",
    profile = "specification",
  }: { readonly change?: string; readonly profile?: "standard" | "specification" } = {},
) {
  const audits = entitySet(Audit, {
    create: (audit) => {
      if (audit.kind === "taken") {
        throw odataError(409, "Taken", "The change is taken.", { target: "Change", headers: { "Retry-After": "9" } });
      }
      return audit;
    },
    before: {
      create: ({ entity }) =>
        entity.kind === "own" ? odataError(400, "Own", "No kind.", { target: "Kind" }) : undefined,
    },
  });
  const kinds = { kind: "taken" };
  const write = (ctx: Context): Promise<unknown> => ctx.sets(audits).create({ id: 1, change, kind: kinds.kind });
  const notes = entitySet(Note, {
    create: (note) => note,
    patch: (id, delta) => ({ id, change: "a", ...delta }),
    before: { create: ({ ctx }) => hook(write, ctx) as undefined },
    after: { patch: ({ ctx }) => hook(write, ctx) as undefined },
  });
  const service = odataService({ entitySets: [notes, audits], profile });
  const send = async (method: string, path: string, body: object) => {
    const init = { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const response = await service.fetch(new Request(`http://notes.example/${path}`, init));
    return [response.status, response.headers.get("retry-after"), await response.json()] as const;
  };
  return { send, kinds };
}

const TAKEN = { error: { code: "Taken", message: "The change is taken." } };

describe("an error of `ctx.sets` that a hook passes on", () => {
  test.each<readonly [string, Parameters<typeof openNotes>[0]]>([
    ["throws", (write, ctx) => write(ctx)],
    ["returns", async (write, ctx) => write(ctx).catch((error: unknown) => error)],
    [
      "throws again",
      async (write, ctx) => {
        try {
          await write(ctx);
        } catch (error) {
          expect((error as ODataError).target).toMatch(/^(?:Change|Kind)$/u);
          throw error;
        }
      },
    ],
  ])("names no property of the other set: the hook %s it", async (_how, hook) => {
    const { send, kinds } = openNotes(hook);
    expect(await send("POST", "Notes", { Id: 1, Change: "x" })).toEqual([409, "9", TAKEN]);
    expect(await send("PATCH", "Notes(1)", { Change: "x" })).toEqual([409, "9", TAKEN]);
    kinds.kind = "own";
    expect(await send("POST", "Notes", { Id: 1, Change: "x" })).toEqual([
      400,
      null,
      { error: { code: "Own", message: "No kind." } },
    ]);
    // Its own request shows where the fault is.
    expect(await send("POST", "Audits", { Id: 1, Change: "x", Kind: "own" })).toEqual([
      400,
      null,
      { error: { code: "Own", message: "No kind.", target: "Kind" } },
    ]);
  });

  test("names none among its details, either", async () => {
    const audits = entitySet(Audit, {
      create: (audit) => audit,
      validate: {
        create: () => [
          { message: "No change.", path: ["change"] },
          { message: "No kind.", path: ["kind"] },
        ],
      },
    });
    const notes = entitySet(Note, {
      create: (note) => note,
      before: { create: async ({ ctx }) => void (await ctx.sets(audits).create({ id: 1, change: "a", kind: "b" })) },
    });
    const service = odataService({ entitySets: [notes, audits], profile: "standard" });
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"Id":1,"Change":"x"}' };
    const response = await service.fetch(new Request("http://notes.example/Notes", init));
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        error: {
          code: "InvalidBody",
          message: "The body has 2 faults. 'details' lists them.",
          details: [
            { code: "InvalidBody", message: "No change.", ...SEVERITY },
            { code: "InvalidBody", message: "No kind.", ...SEVERITY },
          ],
        },
      },
    ]);
  });

  test("may become an error of the hook, which points to a property of its own set", async () => {
    const { send } = openNotes(async (write, ctx) => {
      try {
        await write(ctx);
      } catch (error) {
        if (!(error instanceof ODataError)) throw error;
        throw odataError(error.status, error.code, error.message, { target: "Change" });
      }
    });
    expect(await send("POST", "Notes", { Id: 1, Change: "x" })).toEqual([
      409,
      null,
      { error: { code: "Taken", message: "The change is taken.", target: "Change" } },
    ]);
  });
});
