package io.muster.simulator.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.simulator.world.Figures;
import io.muster.simulator.world.Result;
import io.muster.simulator.world.cluster.Trace;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Results as one JSON document; times in seconds, shares between 0 and 1. Stateless. */
public final class JsonReport {

  private static final int VERSION = 1;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private JsonReport() {}

  /** The document. */
  public static String of(Trace trace, List<Result> results) throws JsonProcessingException {
    var document = new LinkedHashMap<String, Object>();
    document.put("version", VERSION);
    document.put("trace", trace.name());
    document.put("gpus", trace.gpus());
    document.put("nodes", trace.machines().size());
    document.put("load", trace.load());
    document.put("notes", trace.notes());
    document.put("runs", results.stream().map(JsonReport::run).toList());
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(document);
  }

  private static Map<String, Object> run(Result result) {
    var run = new LinkedHashMap<String, Object>();
    run.put("policy", result.policy());
    run.putAll(figures(result));
    return run;
  }

  /** Each figure by its name. */
  static Map<String, Object> figures(Result result) {
    var figures = Figures.of(result);
    var named = new LinkedHashMap<String, Object>();
    named.put("jobs", figures.jobs());
    named.put("unfinished", figures.unfinished());
    named.put("impossible", figures.impossible());
    named.put("jctMeanSeconds", figures.meanCompletion());
    named.put("jctP50Seconds", figures.medianCompletion());
    named.put("jctP99Seconds", figures.p99Completion());
    named.put("waitMeanSeconds", figures.meanWait());
    named.put("waitP99Seconds", figures.p99Wait());
    named.put("makespanSeconds", figures.makespan());
    named.put("utilisation", figures.utilisation());
    named.put("fragmented", figures.fragmented());
    named.put("occupancy", figures.occupancy());
    named.put("segments", figures.segments());
    named.put("brokenSegments", figures.brokenSegments());
    named.put("jain", figures.jain());
    named.put("worstTenantSlowdown", figures.worstTenant());
    named.put("incompleteGpuSeconds", figures.incompleteGpuSeconds());
    named.put("wasted", figures.wasted());
    named.put("preemptions", figures.preemptions());
    named.put("resizes", figures.resizes());
    return named;
  }
}
