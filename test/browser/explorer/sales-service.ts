import {
  arraySource,
  edm,
  entitySet,
  entityType,
  enumType,
  hasRequired,
  odataService,
  type ODataService,
  role,
  type ServiceOptions,
} from "odatakit";

const Status = enumType("Status", { Open: 0, Paid: 1, Lost: 2 });
const Traits = enumType("Traits", { Gift: 1, Fast: 2, Large: 4 }, { isFlags: true });
const Customer = entityType("Customer", {
  id: edm.int32().key(),
  firstName: edm.string(),
  lastName: edm.string(),
  courriel_é: edm.string().nullable(),
});
/** A property of each type that can be filtered, each null in some rows. */
const Sale = entityType("Sale", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  day: edm.date().nullable(),
  at: edm.dateTimeOffset({ precision: 3 }).nullable(),
  time: edm.timeOfDay().nullable(),
  took: edm.duration().nullable(),
  price: edm.decimal({ precision: 20, scale: 2 }).nullable(),
  weight: edm.double().nullable(),
  units: edm.int64().nullable(),
  done: edm.boolean().nullable(),
  guid: edm.guid().nullable(),
  status: edm.enum(Status).nullable(),
  traits: edm.enum(Traits).nullable(),
  summaryRows: edm.string().nullable(),
  customerId: edm.int32(),
  tags: edm.collection(edm.string()),
});
const Plain = entityType("Plain", { id: edm.int32().key(), name: edm.string(), salary: edm.int32().nullable() });

const CUSTOMERS = [
  { id: 1, firstName: "Ann", lastName: "Lee", courriel_é: "ann@x.org" },
  { id: 2, firstName: "Zoë", lastName: "O'Hara", courriel_é: null },
];
const NONE = {
  text: null,
  day: null,
  at: null,
  time: null,
  took: null,
  price: null,
  weight: null,
  units: null,
  done: null,
  guid: null,
  status: null,
  traits: null,
  summaryRows: null,
};
const SALES = [
  {
    id: 1,
    text: "Straße 'A'",
    day: "2024-02-28",
    at: "2024-02-28T23:30:00Z",
    time: "08:00:00",
    took: "PT1H",
    price: "10.00",
    weight: 1.5,
    units: 9_007_199_254_740_993n,
    done: true,
    guid: "01234567-89ab-cdef-0123-456789abcdef",
    status: "Open" as const,
    traits: "Gift,Fast" as const,
    summaryRows: "x",
  },
  {
    ...NONE,
    id: 2,
    text: "needle",
    day: "2024-02-29",
    at: "2024-02-29T12:00:00Z",
    price: "20.50",
    done: false,
    status: "Paid" as const,
    traits: "Fast" as const,
  },
  {
    ...NONE,
    id: 3,
    text: "Needles",
    day: "2024-03-01",
    at: "2024-02-29T22:30:00Z",
    price: "20.50",
    weight: Number.NaN,
    status: "Paid" as const,
    traits: "Large" as const,
  },
  { ...NONE, id: 4 },
].map((sale) => ({ ...sale, customerId: sale.id === 1 ? 1 : 2, tags: [] }));
const PLAIN = [
  { id: 1, name: "Needle one", salary: 1 },
  { id: 2, name: "two", salary: null },
];

/** A service with a property of each type, and sets that permit less. */
export function salesService(options: Partial<ServiceOptions>): ODataService {
  return odataService({
    name: "sales",
    namespace: "Sales",
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
    defaults: { applyEnabled: true, computeEnabled: true },
    entitySets: [
      entitySet(Sale, {
        queryable: () => arraySource(Sale, SALES),
        getByKey: (id) => SALES.find((sale) => sale.id === id) ?? null,
        navigation: { customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers" }) },
      }),
      entitySet(Customer, {
        queryable: () => arraySource(Customer, CUSTOMERS),
        getByKey: (id) => CUSTOMERS.find((customer) => customer.id === id) ?? null,
      }),
      entitySet(Plain, {
        name: "Unsorted",
        queryable: () => arraySource(Plain, PLAIN),
        getByKey: (id) => PLAIN.find((plain) => plain.id === id) ?? null,
        applyEnabled: false,
      }),
      entitySet(Plain, { name: "Unfiltered", getAll: () => PLAIN, filterEnabled: false, applyEnabled: false }),
      entitySet(Plain, {
        name: "Secrets",
        queryable: () => arraySource(Plain, PLAIN),
        getByKey: (id) => PLAIN.find((plain) => plain.id === id) ?? null,
        authorization: { properties: { name: { read: role("hr") } } },
      }),
    ],
    ...options,
  });
}
