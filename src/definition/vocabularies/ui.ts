/**
 * The terms and types of the vocabulary UI, in the notation of `vocabulary.ts`.
 * @see docs/reference/annotations.md
 */
export const UI: string = `
HeaderInfo=HeaderInfoType
HeaderInfoType(){TypeName TypeNamePlural Title=DataFieldAbstract Description=DataFieldAbstract Image=.Stream ImageUrl
  TypeImageUrl Initials}
Identification=[DataFieldAbstract]
Badge=BadgeType
BadgeType(){HeadLine=DataField Title=DataField ImageUrl TypeImageUrl MainInfo=DataField SecondaryInfo=DataField}
LineItem=[DataFieldAbstract]
StatusInfo=[DataFieldAbstract]
FieldGroup=FieldGroupType
FieldGroupType(){Label Data=[DataFieldAbstract]}
ConnectedFields=ConnectedFieldsType
ConnectedFieldsType(){Label Template Data=Core.Dictionary}
GeoLocations=[GeoLocationType]
GeoLocation=GeoLocationType
GeoLocationType(){Latitude=.Double Longitude=.Double Location=.GeographyPoint Address=Communication.AddressType}
Contacts=[.AnnotationPath]
MediaResource=MediaResourceType
MediaResourceType(){Url Stream=.Stream ContentType ByteSize=.Int64 ChangedAt=.DateTimeOffset Thumbnail=ImageType
  Title=DataField Description=DataField}
ImageType(){Url Stream=.Stream Width Height}
DataPoint=DataPointType
DataPointType(){Title Description LongDescription Value=.PrimitiveType TargetValue=.PrimitiveType
  ForecastValue=.PrimitiveType MinimumValue=.Decimal MaximumValue=.Decimal ValueFormat=NumberFormat
  Visualization=VisualizationType SampleSize=.PrimitiveType ReferencePeriod=ReferencePeriod
  Criticality=CriticalityType CriticalityLabels=.AnnotationPath
  CriticalityRepresentation=CriticalityRepresentationType CriticalityCalculation=CriticalityCalculationType
  Trend=TrendType TrendCalculation=TrendCalculationType Responsible=Communication.ContactType}
NumberFormat(){ScaleFactor=.Decimal NumberOfFractionalDigits=.Byte}
VisualizationType|Number BulletChart Progress Rating Donut DeltaBulletChart
ReferencePeriod(){Description Start=.DateTimeOffset End=.DateTimeOffset}
CriticalityType|VeryNegative Neutral Negative Critical Positive VeryPositive Information
CriticalityCalculationType(CriticalityThresholdsType){ReferenceValue=.PrimitiveType IsRelativeDifference=.Boolean
  ImprovementDirection=ImprovementDirectionType ConstantThresholds=[LevelThresholdsType]}
CriticalityThresholdsType(){AcceptanceRangeLowValue=.PrimitiveType AcceptanceRangeHighValue=.PrimitiveType
  ToleranceRangeLowValue=.PrimitiveType ToleranceRangeHighValue=.PrimitiveType DeviationRangeLowValue=.PrimitiveType
  DeviationRangeHighValue=.PrimitiveType}
ImprovementDirectionType|Minimize Target Maximize
LevelThresholdsType(CriticalityThresholdsType){AggregationLevel=[.PropertyPath]}
TrendType|StrongUp Up Sideways Down StrongDown
TrendCalculationType(){ReferenceValue=.PrimitiveType IsRelativeDifference=.Boolean UpDifference=.Decimal
  StrongUpDifference=.Decimal DownDifference=.Decimal StrongDownDifference=.Decimal}
KPI=KPIType
KPIType(){ID ShortDescription SelectionVariant=SelectionVariantType DataPoint=DataPointType
  AdditionalDataPoints=[DataPointType] Detail=KPIDetailType}
KPIDetailType(){DefaultPresentationVariant=PresentationVariantType
  AlternativePresentationVariants=[PresentationVariantType] SemanticObject Action}
Chart=ChartDefinitionType
ChartDefinitionType(){Title Description ChartType=ChartType AxisScaling=ChartAxisScalingType Measures=[.PropertyPath]
  DynamicMeasures=[.AnnotationPath] MeasureAttributes=[ChartMeasureAttributeType] Dimensions=[.PropertyPath]
  DimensionAttributes=[ChartDimensionAttributeType] Actions=[DataFieldAbstract]}
ChartType|Column ColumnStacked ColumnDual ColumnStackedDual ColumnStacked100 ColumnStackedDual100 Bar BarStacked
  BarDual BarStackedDual BarStacked100 BarStackedDual100 Area AreaStacked AreaStacked100 HorizontalArea
  HorizontalAreaStacked HorizontalAreaStacked100 Line LineDual Combination CombinationStacked CombinationDual
  CombinationStackedDual HorizontalCombinationStacked Pie Donut Scatter Bubble Radar HeatMap TreeMap Waterfall Bullet
  VerticalBullet HorizontalWaterfall HorizontalCombinationDual HorizontalCombinationStackedDual Donut100
ChartAxisScalingType(){ScaleBehavior=ChartAxisScaleBehaviorType AutoScaleBehavior=ChartAxisAutoScaleBehaviorType
  FixedScaleMultipleStackedMeasuresBoundaryValues=FixedScaleMultipleStackedMeasuresBoundaryValuesType}
ChartAxisScaleBehaviorType|AutoScale FixedScale
ChartAxisAutoScaleBehaviorType(){ZeroAlwaysVisible=.Boolean DataScope=ChartAxisAutoScaleDataScopeType}
ChartAxisAutoScaleDataScopeType|DataSet VisibleData
FixedScaleMultipleStackedMeasuresBoundaryValuesType(){MinimumValue=.Decimal MaximumValue=.Decimal}
ChartDimensionAttributeType(){Dimension=.PropertyPath Role=ChartDimensionRoleType HierarchyLevel=.Int32
  ValuesForSequentialColorLevels=[.] EmphasizedValues=[.] EmphasisLabels=EmphasisLabelType}
ChartMeasureAttributeType(){Measure=.PropertyPath DynamicMeasure=.AnnotationPath Role=ChartMeasureRoleType
  DataPoint=.AnnotationPath UseSequentialColorLevels=.Boolean}
ChartDimensionRoleType|Category Series Category2
ChartMeasureRoleType|Axis1 Axis2 Axis3
EmphasisLabelType(){EmphasizedValuesLabel NonEmphasizedValuesLabel}
ValueCriticality=[ValueCriticalityType]
ValueCriticalityType(){Value=.PrimitiveType Criticality=CriticalityType}
CriticalityLabels=[CriticalityLabelType]
CriticalityLabelType(){Criticality=CriticalityType Label}
SelectionFields=[.PropertyPath]
Facets=[Facet]
HeaderFacets=[Facet]
QuickViewFacets=[Facet]
QuickCreateFacets=[Facet]
FilterFacets=[ReferenceFacet]
OperationParameterFacets=[ReferenceFacet]
Facet!(){Label ID}
CollectionFacet(Facet){Facets=[Facet]}
ReferenceFacet(Facet){Target=.AnnotationPath}
ReferenceURLFacet(Facet){Url UrlContentType}
SelectionPresentationVariant=SelectionPresentationVariantType
SelectionPresentationVariantType(){ID Text SelectionVariant=SelectionVariantType
  PresentationVariant=PresentationVariantType}
PresentationVariant=PresentationVariantType
PresentationVariantType(){ID Text MaxItems=.Int32 SortOrder=[Common.SortOrderType] GroupBy=[.PropertyPath]
  TotalBy=[.PropertyPath] Total=[.PropertyPath] DynamicTotal=[.AnnotationPath] IncludeGrandTotal=.Boolean
  InitialExpansionLevel=.Int32 Visualizations=[.AnnotationPath] RecursiveHierarchyQualifier
  RequestAtLeast=[.PropertyPath] SelectionFields=[.PropertyPath]}
SelectionVariant=SelectionVariantType
SelectionVariantType(){ID Text Parameters=[ParameterAbstract] FilterExpression SelectOptions=[SelectOptionType]}
ParameterAbstract!(){}
Parameter(ParameterAbstract){PropertyName=.PropertyPath PropertyValue=.PrimitiveType}
IntervalParameter(ParameterAbstract){PropertyNameFrom=.PropertyPath PropertyValueFrom=.PrimitiveType
  PropertyNameTo=.PropertyPath PropertyValueTo=.PrimitiveType}
SelectOptionType(){PropertyName=.PropertyPath DynamicPropertyName=.AnnotationPath Ranges=[SelectionRangeType]}
SelectionRangeType(){Sign=SelectionRangeSignType Option=SelectionRangeOptionType Low=.PrimitiveType
  High=.PrimitiveType}
SelectionRangeSignType|I E
SelectionRangeOptionType|EQ BT CP LE GE NE NB NP GT LT
ThingPerspective=.Boolean
IsSummary=.Boolean
PartOfPreview=.Boolean
Map=.Boolean
Gallery=.Boolean
IsImageURL=.Boolean
IsImage=.Boolean
MultiLineText=.Boolean
Placeholder=.
InputMask=InputMaskType
InputMaskType(){Mask PlaceholderSymbol Rules=[InputMaskRuleType]}
InputMaskRuleType(){MaskSymbol RegExp}
TextArrangement=TextArrangementType
TextArrangementType|TextFirst TextLast TextSeparate TextOnly
DateTimeStyle=.
Note=NoteType
NoteType(){Title Content Type MaximalLength=.Int32 MultipleNotes=.Boolean}
Importance=ImportanceType
ImportanceType|High Medium Low
Hidden=.Boolean
IsCopyAction=.Boolean
IsAIOperation=.Boolean
CreateHidden=.Boolean
UpdateHidden=.Boolean
DeleteHidden=.Boolean
HiddenFilter=.Boolean
AdaptationHidden=.Boolean
DataFieldDefault=DataFieldAbstract
DataFieldAbstract!(){Label Criticality=CriticalityType CriticalityRepresentation=CriticalityRepresentationType IconUrl}
CriticalityRepresentationType|WithIcon WithoutIcon OnlyIcon
DataFieldForAnnotation(DataFieldAbstract){Target=.AnnotationPath}
DataFieldForActionAbstract!(DataFieldAbstract){Inline=.Boolean Determining=.Boolean}
DataFieldForAction(DataFieldForActionAbstract){Action=@ InvocationGrouping=OperationGroupingType}
OperationGroupingType|Isolated ChangeSet
DataFieldForIntentBasedNavigation(DataFieldForActionAbstract){SemanticObject Action NavigationAvailable=.Boolean
  RequiresContext=.Boolean Mapping=[Common.SemanticObjectMappingType]}
DataFieldForActionGroup(DataFieldAbstract){ID Actions=[DataFieldForActionAbstract]}
DataField(DataFieldAbstract){Value=.Untyped}
DataFieldWithAction(DataField){Value=.PrimitiveType Action=@}
DataFieldWithIntentBasedNavigation(DataField){Value=.PrimitiveType SemanticObject Action
  Mapping=[Common.SemanticObjectMappingType]}
DataFieldWithNavigationPath(DataField){Value=.PrimitiveType Target=.NavigationPropertyPath}
DataFieldWithUrl(DataField){Value=.PrimitiveType Url UrlContentType}
DataFieldWithActionGroup(DataField){Value=.PrimitiveType Actions=[DataField]}
Criticality=CriticalityType
CriticalityCalculation=CriticalityCalculationType
Emphasized=.Boolean
OrderBy=.PropertyPath
ParameterDefaultValue=.PrimitiveType
RecommendationState=.Byte
RecommendationList=RecommendationListType
RecommendationListType(){CollectionPath RankProperty=% Binding=[RecommendationBinding]}
RecommendationBinding(){LocalDataProperty=.PropertyPath ValueListProperty=%}
Recommendations=.Untyped
PropertyRecommendationType!(){RecommendedFieldValue=.PrimitiveType RecommendedFieldDescription
  RecommendedFieldScoreValue=.Decimal RecommendedFieldIsSuggestion=.Boolean}
ExcludeFromNavigationContext=.Boolean
DoNotCheckScaleOfMeasuredQuantity=.Boolean
LeadingEntitySet=.
`;
