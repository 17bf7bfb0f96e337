// The parts of PromQL that may be in a query of a tenant: whatever is not here is refused.

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== "");

/** Functions whose result depends on their arguments and the time alone. `info` selects series by itself. */
const functions = words(`
  Abs Absent AbsentOverTime Acos Acosh Asin Asinh Atan Atanh AvgOverTime Ceil Changes Clamp ClampMax ClampMin Cos Cosh
  CountOverTime DaysInMonth DayOfMonth DayOfWeek DayOfYear Deg Delta Deriv Exp FirstOverTime Floor HistogramCount
  HistogramFraction HistogramQuantile HistogramQuantiles HistogramStdDev HistogramStdVar HistogramSum HistogramAvg
  DoubleExponentialSmoothing Hour Idelta Increase Irate LabelReplace LabelJoin LastOverTime Ln Log10 Log2 MadOverTime
  MaxOverTime MinOverTime TsOfFirstOverTime TsOfMaxOverTime TsOfMinOverTime TsOfLastOverTime Minute Month Pi
  PredictLinear PresentOverTime QuantileOverTime Rad Rate Resets Round Scalar Sgn Sin Sinh Sort SortDesc Sqrt StddevOverTime StdvarOverTime SumOverTime Tan Tanh Time Timestamp Vector Year
`);

const aggregations = words(`
  Avg Bottomk Count CountValues Group Max Min Quantile LimitK LimitRatio Stddev Stdvar Sum Topk
`);

const operators = words(`
  Pow Mul Div Mod Atan2 Add Sub Eql Gte Gtr Lte Lss Neq And Or Unless EqlSingle EqlRegex NeqRegex
`);

const structure = words(`
  PromQL LineComment AggregateExpr AggregateOp AggregateModifier By Without GroupingLabels LabelName QuotedLabelName
  StringLiteral FunctionCall FunctionIdentifier FunctionCallBody BinaryExpr BoolModifier Bool MatchingModifierClause On
  Ignoring GroupLeft GroupRight NumberDurationLiteral NumberDurationLiteralInDurationContext MatrixSelector DurationExpr
  OffsetExpr Offset OffsetDurationExpr ParenExpr SubqueryExpr UnaryExpr UnaryOp VectorSelector Identifier LabelMatchers
  UnquotedLabelMatcher QuotedLabelMatcher MatchOp StepInvariantExpr At AtModifierPreprocessors AtStart AtEnd
`);

/** docs/developers/security-model.md says what each of them costs. */
export const allowed: ReadonlySet<string> = new Set([
  ...functions,
  ...aggregations,
  ...operators,
  ...structure,
]);

const reasons: Readonly<Record<string, string>> = {
  Info: "info() selects series by itself, of any namespace: join with a selector and group_left instead",
  SortByLabel: "the order of series has no meaning here: remove sort_by_label",
  SortByLabelDesc: "the order of series has no meaning here: remove sort_by_label_desc",
  FillModifier: "fill is experimental",
  AnchoredExpr: "anchored is experimental",
  SmoothedExpr: "smoothed is experimental",
  TrimUpper: "the operator </ is experimental",
  TrimLower: "the operator >/ is experimental",
};

/** Why a part may not be in a query, by the name of its node in the tree; undefined when it may. */
export function unsupported(name: string): string | undefined {
  return allowed.has(name) ? undefined : (reasons[name] ?? "this part of PromQL is not supported here");
}
