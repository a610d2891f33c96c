import { arraySource, edm, entitySet, entityType, type EntityOf, withDerived } from "odatakit";
import { expectTypeOf, test } from "vitest";

const Animal = entityType("Animal", { id: edm.int32().key(), name: edm.string() });
const Dog = entityType("Dog", { barks: edm.int32() }, { base: Animal });
const Cat = entityType("Cat", { lives: edm.int32().nullable() }, { base: Animal });
const Animals = withDerived(Animal, [Dog, Cat]);

test("a derived type has the properties of its base", () => {
  expectTypeOf<EntityOf<typeof Dog>["name"]>().toEqualTypeOf<string>();
  expectTypeOf<EntityOf<typeof Dog>["barks"]>().toEqualTypeOf<number>();
});

test("the entities of a set with derived types are narrowed by the name of their type", () => {
  entitySet(Animals, {
    queryable: () => arraySource(Animals, [{ "@odata.type": "Dog", id: 1, name: "Rex", barks: 2 }]),
    getByKey: (key) => {
      expectTypeOf(key).toEqualTypeOf<number>();
      return { "@odata.type": "Dog", id: key, name: "Rex", barks: 3 };
    },
    create: (animal) => {
      if (animal["@odata.type"] === "Dog") expectTypeOf(animal.barks).toEqualTypeOf<number>();
      if (animal["@odata.type"] === "Cat") expectTypeOf(animal.lives).toEqualTypeOf<number | null>();
      // @ts-expect-error -- not every animal barks
      void animal.barks;
      return animal;
    },
  });
});

test("the option of a set lists the same types", () => {
  entitySet(Animal, { derived: [Dog, Cat], getAll: () => [{ "@odata.type": "Dog", id: 1, name: "Rex", barks: 2 }] });
});
