package io.muster.simulator.world.cluster;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How many members that follow one another must be in one rack, by how large the gang is.
 * Immutable.
 *
 * @param sizes members of a segment, by the fewest devices that a gang of such segments has
 */
public record SegmentRule(Map<Long, Integer> sizes) {

  /** No gang has segments. */
  public static final SegmentRule NONE = new SegmentRule(Map.of());

  public SegmentRule {
    sizes = Map.copyOf(sizes);
  }

  /** Members of each segment of the job; 1: it has none. */
  public int of(TraceJob job) {
    var rule = new TreeMap<>(sizes).floorEntry(job.gpus());
    return rule == null ? 1 : rule.getValue();
  }

  /** How many segments of the job are not in one rack; its members, in order, are on these. */
  public long broken(TraceJob job, List<Machine> nodes) {
    long broken = 0;
    int size = of(job);
    for (int from = 0; size > 1 && from < nodes.size(); from += size) {
      var segment = nodes.subList(from, Math.min(nodes.size(), from + size));
      broken += segment.stream().map(Machine::domains).distinct().count() > 1 ? 1 : 0;
    }
    return broken;
  }

  /** How many segments the job has. */
  public long count(TraceJob job) {
    return of(job) > 1 ? Math.ceilDiv(job.pods(), of(job)) : 0;
  }
}
