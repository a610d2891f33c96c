import fc from "fast-check";
import { anyOf, authenticated, entitySet, odataService, resource, role, type AuthorizationRule } from "odatakit";
import { expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { Person } from "./guarded-model.ts";
import { noFailures } from "./model.ts";

type Rule = AuthorizationRule<typeof Person>;

/** The meaning of a rule. */
type Meaning =
  | { readonly kind: "user" }
  | { readonly kind: "role"; readonly name: string }
  | { readonly kind: "entity"; readonly answer: boolean; readonly isLate: boolean }
  | { readonly kind: "or"; readonly rules: readonly Meaning[] };

const { rule: meanings } = fc.letrec<{ rule: Meaning }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constant({ kind: "user" as const }),
    fc.constantFrom("a", "b", "c").map((name) => ({ kind: "role" as const, name })),
    fc.record({ kind: fc.constant("entity" as const), answer: fc.boolean(), isLate: fc.boolean() }),
    fc.record({ kind: fc.constant("or" as const), rules: fc.array(tie("rule"), { minLength: 1, maxLength: 3 }) }),
  ),
}));

function toRule(meaning: Meaning): Rule {
  switch (meaning.kind) {
    case "user":
      return authenticated();
    case "role":
      return role(meaning.name);
    case "entity":
      return resource<typeof Person>(() => (meaning.isLate ? Promise.resolve(meaning.answer) : meaning.answer));
    case "or":
      return anyOf<typeof Person>(...meaning.rules.map(toRule));
  }
}

/** Returns the result of a rule; `entity` replaces the result of each check of the entity, unless it is undefined. */
function holds(meaning: Meaning, roles: readonly string[] | null, entity: boolean | undefined): boolean {
  if (roles === null) return false;
  switch (meaning.kind) {
    case "user":
      return true;
    case "role":
      return roles.includes(meaning.name);
    case "entity":
      return entity ?? meaning.answer;
    case "or":
      return meaning.rules.some((each) => holds(each, roles, entity));
  }
}

test("rules have their declared meaning, and load the entity only where the result depends on it", async () => {
  const users = fc.option(fc.subarray(["a", "b", "c"]), { nil: null });
  await fc.assert(
    fc.asyncProperty(fc.array(meanings, { maxLength: 4 }), users, async (rules, roles) => {
      let loaded = 0;
      let deleted = 0;
      const people = entitySet(Person, {
        name: "People",
        getByKey: () => {
          loaded += 1;
          return { id: 1, name: "Ann" };
        },
        delete: () => {
          deleted += 1;
          return true;
        },
        authorization: { delete: rules.map(toRule) },
      });
      const authenticate = () => (roles === null ? null : { id: "ann", roles });
      const service = odataService({ prefix: "", entitySets: [people], authenticate, logger: noFailures });
      const { status } = await service.fetch(new Request("http://service.example/People(1)", { method: "DELETE" }));
      const passes = rules.every((each) => holds(each, roles, undefined));
      const refused = roles === null ? 401 : 403;
      expect(status).toBe(passes ? 204 : refused);
      expect(deleted).toBe(passes ? 1 : 0);
      const best = rules.every((each) => holds(each, roles, true));
      const worst = rules.every((each) => holds(each, roles, false));
      expect(loaded).toBe(best && !worst ? 1 : 0);
    }),
    { numRuns: caseCount(500) },
  );
});
