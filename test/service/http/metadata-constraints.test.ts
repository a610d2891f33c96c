import { edm, entitySet, entityType, hasOptional, hasRequired, odataService } from "odatakit";
import { expect, test } from "vitest";
import { eachDoor } from "./doors.ts";
import { noFailures } from "./model.ts";

const Tenant = entityType("Tenant", { id: edm.int32().key() });
const Customer = entityType("Customer", { tenantId: edm.int32().key(), id: edm.int32().key() });
const Profile = entityType("Profile", { id: edm.int32().key() });
const Order = entityType("Order", {
  id: edm.int32().key(),
  tenantId: edm.int32(),
  customerId: edm.int32().nullable(),
  referrerId: edm.int32().nullable(),
});

const service = odataService({
  prefix: "/s",
  entitySets: [
    entitySet(Tenant, { navigation: { profile: hasOptional(Profile, { target: "Profiles", on: { id: "id" } }) } }),
    entitySet(Profile, { navigation: { tenant: hasRequired(Tenant, { target: "Tenants", on: { id: "id" } }) } }),
    entitySet(Customer, {}),
    entitySet(Order, {
      navigation: {
        tenant: hasRequired(Tenant, { target: "Tenants", on: { tenantId: "id" } }),
        referrer: hasOptional(Tenant, { target: "Tenants", on: { referrerId: "id" } }),
        // The tenant is never null, so the standard allows no constraint for a navigation that is.
        customer: hasOptional(Customer, { target: "Customers", on: { tenantId: "tenantId", customerId: "id" } }),
      },
    }),
  ],
  logger: noFailures,
});

eachDoor((door) => {
  test("a referential constraint agrees with the nullability of its navigation", async () => {
    const { text } = await door.to(service)("/s/$metadata");
    const navigations = text.matchAll(
      /<NavigationProperty Name="(\w+)" Type="[\w.]+"(?: Nullable="(\w+)")?(?:\/>|>([\s\S]*?)<\/NavigationProperty>)/gu,
    );
    const constraints = Array.from(navigations, ([, name, nullable = "true", inner = ""]) => [
      name,
      nullable,
      Array.from(
        inner.matchAll(/Property="(\w+)" ReferencedProperty="(\w+)"/gu),
        ([, from = "", to = ""]) => `${from}=${to}`,
      ),
    ]);
    expect(constraints).toEqual([
      ["Profile", "true", []],
      ["Tenant", "false", ["Id=Id"]],
      ["Tenant", "false", ["TenantId=Id"]],
      ["Referrer", "true", ["ReferrerId=Id"]],
      ["Customer", "true", []],
    ]);
  });
});
