/**
 * The terms and types of the vocabulary Analytics, in the notation of `vocabulary.ts`.
 * @see docs/reference/annotations.md
 */
export const ANALYTICS: string = `
Dimension=.Boolean
Measure=.Boolean
AccumulativeMeasure=.Boolean
RolledUpPropertyCount=.Int16
DrillURL=.
PlanningAction=.Boolean
AggregatedProperties=[AggregatedPropertyType]
AggregatedProperty=AggregatedPropertyType
AggregatedPropertyType(){Name AggregationMethod AggregatableProperty=.PropertyPath}
AnalyticalContext=[AnalyticalContextType]
AnalyticalContextType(){Property=.PropertyPath DynamicProperty=.AnnotationPath Dimension=.Boolean Measure=.Boolean
  AccumulativeMeasure=.Boolean}
MultiLevelExpandLevel(){DimensionProperties=[.] AdditionalProperties=[.]}
MultiLevelExpandSiblingOrder(){Property Descending=.Boolean}
MultiLevelExpandEntry(){Entry=[.] Levels=.Int64}
LevelInformation=Hierarchy.HierarchyType
`;
