import { describe, expect, test } from "vitest";
import { DATA, makeService, STYLES, visibleTo } from "./row-rules-model.ts";
import { ask, guarded, READS } from "./row-rules-requests.ts";

describe.each(STYLES)("%s", (style) => {
  describe.each(["east", "west", null])("reads of %s are answered as if hidden rows did not exist", (user) => {
    const { service } = guarded(style);
    const { service: other } = makeService({ style, data: visibleTo(user) });

    test.each(Object.entries(READS))("%s", async (_kind, targets) => {
      for (const target of targets) {
        const expected = await ask(other, user, target);
        const isLost = expected.status === 404 || expected.status === 204;
        const found = await ask(service, user, target);
        // A handler may not know whether the parent exists, and is not called if the user does not see the parent.
        if (isLost || isBelowHidden(target, user)) expect([404, expected.status], target).toContain(found.status);
        else expect(found, target).toEqual(expected);
        expect(found.status, `${target}: ${found.text}`).not.toBe(500);
      }
    });
  });

  test("an administrator sees all rows", async () => {
    const { service } = guarded(style);
    const { service: other } = makeService({ style, data: DATA });
    for (const target of Object.values(READS).flat()) {
      const found = await ask(service, "admin", target);
      const expected = await ask(other, "admin", target);
      if (expected.status !== 404) expect(found, target).toEqual(expected);
    }
  });

  test("no response contains any part of a hidden row", async () => {
    const { service } = guarded(style);
    for (const target of Object.values(READS).flat()) {
      const { text } = await ask(service, "east", target);
      const isNamed = /Bob|Fay|Dan|pears|nuts|figs|"two"|"five"/.test(decodeURIComponent(target));
      if (!isNamed) expect(text, target).not.toMatch(/"(?:Bob|Fay|Dan|pears|nuts|figs|two|five)"/);
    }
  });

  test("a request calls the rule of a set once, whatever it mentions", async () => {
    const { service, asked } = guarded(style);
    const target =
      "/Customers?$expand=Orders($expand=Lines,Customer),Reports($filter=Orders/any(o:o/Lines/any()))" +
      "&$filter=Orders/any(o:o/Total gt 0) or Reports/any(r:r/Boss/Name eq 'x') or $root/Lines(100)/Text eq ''";
    const { status, text } = await ask(service, "east", target);
    expect(status, text).toBe(200);
    expect(asked).toEqual({ customers: 1, orders: 1, lines: 1 });
  });
});

/** Whether a route continues from an entity that the user does not see. */
function isBelowHidden(target: string, user: string | null): boolean {
  const [, set = "", key = ""] = /^\/(\w+)\((\d+)\)\//.exec(target) ?? [];
  const rows: readonly { readonly id: number }[] = visibleTo(user)[
    set.toLowerCase() as keyof ReturnType<typeof visibleTo>
  ] ?? [{ id: Number(key) }];
  return set !== "" && !rows.some(({ id }) => id === Number(key));
}
