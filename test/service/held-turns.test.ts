import { applyDelta, arraySource, edm, entitySet, entityType, odataService } from "odatakit";
import { expect, test } from "vitest";

const Task = entityType("Task", { id: edm.int32().key(), title: edm.string() });

test("a rule that never ends stops later writes of its entity for transactionTimeout, and others not at all", async () => {
  const rows = [1, 2].map((id) => ({ id, title: "new" }));
  let held = (): void => undefined;
  const service = odataService({
    defaults: { transactionTimeout: 200 },
    entitySets: [
      entitySet(Task, {
        queryable: () => arraySource(Task, rows),
        getByKey: (id) => rows.find((row) => row.id === id) ?? null,
        patch: (id, delta) => {
          const at = rows.findIndex((row) => row.id === id);
          const row = applyDelta(Task, rows[at], delta);
          if (row !== null) rows[at] = row;
          return row;
        },
        validate: {
          patch: async ({ delta, current }) => {
            await current();
            if (delta.title !== "held") return;
            await new Promise<void>((resolve) => {
              held = resolve;
            });
          },
        },
      }),
    ],
  });
  const send = async (id: number, title: string): Promise<string> => {
    const response = await service.fetch(
      new Request(`http://service.example/Tasks(${String(id)})`, {
        method: "PATCH",
        headers: { "Content-Type": "application/json", Prefer: "return=representation" },
        body: JSON.stringify({ Title: title }),
      }),
    );
    return `${String(response.status)} ${await response.text()}`;
  };
  const changed = (id: number, title: string): string =>
    `200 {"@odata.context":"http://service.example/$metadata#Tasks/$entity","@odata.id":"http://service.example/Tasks(${String(id)})","Id":${String(id)},"Title":"${title}"}`;
  const first = send(1, "held");
  expect(await send(2, "other")).toBe(changed(2, "other"));
  const next = [send(1, "a"), send(1, "b")];
  expect(await Promise.all(next)).toEqual([changed(1, "a"), changed(1, "b")]);
  expect(await send(1, "c")).toBe(changed(1, "c"));
  held();
  expect(await first).toBe(changed(1, "held"));
});
