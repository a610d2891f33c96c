import { odataError, type RowPredicate } from "odatakit";
import { describe, expect, test } from "vitest";
import { STYLES } from "./row-rules-model.ts";
import { ask, guarded, READS } from "./row-rules-requests.ts";

describe.each(STYLES)("%s", (style) => {
  describe("a rule that throws", () => {
    const targets = Object.values(READS).flat();

    test("is a failure of the service that shows nothing", async () => {
      const logged: unknown[] = [];
      const fault = (): RowPredicate => {
        throw new Error("secret of the rule");
      };
      const { service } = guarded(style, { fault, logged });
      for (const target of targets) {
        const { status, text } = await ask(service, "east", target);
        expect([404, 405, 500], `${target}: ${text}`).toContain(status);
        expect(text).not.toMatch(/secret|Ann|apples/);
      }
      expect(logged).not.toEqual([]);
    });

    test("returns an error that is meant for the client", async () => {
      const fault = (): RowPredicate => {
        throw odataError(429, "TooMany", "Later.");
      };
      const { service } = guarded(style, { fault });
      for (const target of targets) {
        const { status, text } = await ask(service, "east", target);
        expect([404, 405, 429], `${target}: ${text}`).toContain(status);
      }
    });

    test("keeps handlers from writing", async () => {
      const fault = (): RowPredicate => {
        throw new Error("secret of the rule");
      };
      const { service, calls } = guarded(style, { fault });
      const body = { Id: 50, Name: "Hal", Region: "east", BossId: null };
      expect((await ask(service, "east", "/Customers", "POST", body)).status).toBe(500);
      expect((await ask(service, "east", "/Customers(1)", "PATCH", { Name: "Hal" })).status).toBe(500);
      expect((await ask(service, "east", "/Customers(1)", "PUT", { ...body, Id: 1 })).status).toBe(500);
      expect((await ask(service, "east", "/Customers(1)", "DELETE")).status).toBe(500);
      expect(calls).toEqual([]);
    });
  });
});
