/**
 * The terms and types of the vocabulary Aggregation, in the notation of `vocabulary.ts`.
 * @see docs/reference/annotations.md
 */
export const AGGREGATION: string = `
ApplySupported=ApplySupportedType
ApplySupportedDefaults=ApplySupportedBase
ApplySupportedBase(){Transformations=[.] CustomAggregationMethods=[.] Rollup=RollupType From=.Boolean}
ApplySupportedType(ApplySupportedBase){PropertyRestrictions=.Boolean GroupableProperties=[.AnyPropertyPath]
  AggregatableProperties=[AggregatablePropertyType]}
AggregatablePropertyType(){Property=.PropertyPath SupportedAggregationMethods=[.] RecommendedAggregationMethod}
RollupType|None SingleHierarchy MultipleHierarchies
Groupable=.Boolean
Aggregatable=.Boolean
CustomAggregate=.
ContextDefiningProperties=[.PropertyPath]
LeveledHierarchy=[.PropertyPath]
RecursiveHierarchy=RecursiveHierarchyType
RecursiveHierarchyType(){NodeProperty=.PropertyPath ParentNavigationProperty=.NavigationPropertyPath}
UpPath=[.]
AvailableOnAggregates=AvailableOnAggregatesType
AvailableOnAggregatesType(){RequiredProperties=[.PropertyPath]}
NavigationPropertyAggregationCapabilities(Capabilities.NavigationPropertyRestriction){ApplySupported=ApplySupportedType CustomAggregates=[CustomAggregateType]}
CustomAggregateType(){Name Type}
`;
