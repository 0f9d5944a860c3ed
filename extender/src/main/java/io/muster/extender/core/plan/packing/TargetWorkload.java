package io.muster.extender.core.plan.packing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The pods that a cluster expects, by shape, and what of a node's idle devices is of no use to
 * them. The measure is that of FGD ("Beware of Fragmentation", USENIX ATC 2023): idle thousandths
 * of devices are a fragment for a shape that asks for no device, may not use the model, or does not
 * fit; for a shape that fits, those on devices with less left than it asks for. Sums are weighted
 * by how often a shape occurs, in whole numbers, so that equal states compare equal. Immutable;
 * safe for concurrent use.
 */
public final class TargetWorkload {

  /**
   * One shape and how often it occurs.
   *
   * @param share thousandths of each of its devices, 1 to 1000; 0 where it asks for none
   * @param models kinds of device it may use; empty for any
   */
  public record Shape(long cpuMillis, int devices, int share, Set<String> models) {
    public Shape {
      models = Set.copyOf(models);
    }

    private boolean mayUse(String model) {
      return models.isEmpty() || models.contains(model);
    }
  }

  /**
   * Members of gangs, when nothing is known of them: they ask for 1, 2, 4 or 8 whole devices, the
   * fewer the more often, and for 4, 8 or 12 cores a device.
   */
  public static final TargetWorkload WHOLE_DEVICES = of(wholeDevices());

  private static Map<Shape, Long> wholeDevices() {
    var shapes = new HashMap<Shape, Long>();
    Map.of(1, 8L, 2, 3L, 4, 2L, 8, 1L)
        .forEach((devices, pods) -> {
          for (long cores = 4; cores <= 12; cores += 4) {
            shapes.put(new Shape(cores * 1000 * devices, devices, Idle.DEVICE, Set.of()), pods);
          }
        });
    return shapes;
  }

  /** How many pods are content with so much cpu. */
  private static final class Contentment {
    private final long[] cpuMillis;
    private final long[] upTo;

    Contentment(SortedMap<Long, Long> podsByCpu) {
      cpuMillis = podsByCpu.keySet().stream().mapToLong(Long::longValue).toArray();
      upTo = podsByCpu.values().stream().mapToLong(Long::longValue).toArray();
      for (int i = 1; i < upTo.length; i++) {
        upTo[i] += upTo[i - 1];
      }
    }

    long with(long idleCpu) {
      int low = 0;
      int high = cpuMillis.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (cpuMillis[middle] <= idleCpu) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low == 0 ? 0 : upTo[low - 1];
    }
  }

  /** Pods that ask for the same devices. */
  private record Group(int devices, int share, Contentment content) {}

  /**
   * The pods that may use one model of device: in groups, and by the number of idle devices that
   * will do if those are whole.
   */
  private record View(List<Group> groups, List<Contentment> byWhole) {}

  private final Map<Shape, Long> shapes;
  private final long total;
  private final View anyModel;
  private final Map<String, View> views = new HashMap<>();

  private TargetWorkload(Map<Shape, Long> shapes) {
    this.shapes = shapes;
    total = shapes.values().stream().mapToLong(Long::longValue).sum();
    anyModel = view("");
    shapes.keySet().stream()
        .flatMap(shape -> shape.models().stream())
        .distinct()
        .forEach(model -> views.put(model, view(model)));
  }

  /** These shapes, as often as they are counted. */
  public static TargetWorkload of(Map<Shape, Long> shapes) {
    return new TargetWorkload(Map.copyOf(shapes));
  }

  /** How many pods they stand for; fragments are sums over these. */
  public long total() {
    return total;
  }

  /** Thousandths of devices that are of no use, summed over {@link #total} pods. */
  public long fragment(Idle idle) {
    var view = views.getOrDefault(idle.model(), anyModel);
    long all = idle.milli();
    if (all == 0) {
      return 0;
    }
    if (idle.isWhole()) {
      var content = view.byWhole().get((int) Math.min(idle.whole(), view.byWhole().size() - 1));
      return (total - content.with(idle.cpuMillis())) * all;
    }
    long useful = 0;
    for (var group : view.groups()) {
      if (idle.devicesWith(group.share()) >= group.devices()) {
        useful += group.content().with(idle.cpuMillis()) * (all - idle.milliBelow(group.share()));
      }
    }
    return total * all - useful;
  }

  private View view(String model) {
    var byDevices = new TreeMap<Integer, SortedMap<Integer, SortedMap<Long, Long>>>();
    for (var entry : shapes.entrySet()) {
      var shape = entry.getKey();
      if (shape.devices() > 0 && shape.mayUse(model)) {
        byDevices
            .computeIfAbsent(shape.devices(), _ -> new TreeMap<>())
            .computeIfAbsent(shape.share(), _ -> new TreeMap<>())
            .merge(shape.cpuMillis(), entry.getValue(), Long::sum);
      }
    }
    var groups = new ArrayList<Group>();
    byDevices.forEach((devices, byShare) ->
        byShare.forEach(
            (share, byCpu) -> groups.add(new Group(devices, share, new Contentment(byCpu)))));
    var byWhole = new ArrayList<Contentment>();
    var together = new TreeMap<Long, Long>();
    for (int whole = 0; whole <= (byDevices.isEmpty() ? 0 : byDevices.lastKey()); whole++) {
      byDevices
          .getOrDefault(whole, new TreeMap<>())
          .values()
          .forEach(byCpu -> byCpu.forEach((cpu, pods) -> together.merge(cpu, pods, Long::sum)));
      byWhole.add(new Contentment(together));
    }
    return new View(List.copyOf(groups), List.copyOf(byWhole));
  }
}
