package io.muster.extender.kube.convert;

import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.device.DeviceClass;
import io.muster.extender.kube.Sentences;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns Kubernetes quantities into {@link Resources}. Total for any input: a quantity that cannot
 * be read counts as 0 (the apiserver stores none such; the first one seen is logged), a negative
 * one as 0, and a larger one than any machine has as {@link #MOST}, so that sums over pods never
 * overflow. Fractions are rounded up. Safe for concurrent use.
 */
public final class Amounts {

  /** 128 TiB as bytes; 65,535 of them still fit into a long. */
  public static final long MOST = Long.MAX_VALUE >>> 16;

  /** No node offers as many; a pod that asks for more fits nowhere with these alone. */
  static final int MOST_NAMES = 64;

  private static final Comparator<String> DEVICES_FIRST =
      Comparator.comparing(Accelerators::isManaged)
          .reversed()
          .thenComparing(Comparator.naturalOrder());

  private static final Logger log = LoggerFactory.getLogger(Amounts.class);
  private static final BigDecimal MOST_EXACT = BigDecimal.valueOf(MOST);
  private static final BigDecimal MILLIS = BigDecimal.valueOf(1000);

  private final AtomicBoolean complained = new AtomicBoolean();

  /** The amounts of cpu, memory and extended resources; other resources are left out. */
  Resources resources(Map<String, Quantity> quantities) {
    long cpuMillis = 0;
    long memoryBytes = 0;
    var extended = new TreeMap<String, Long>();
    for (var entry : quantities.entrySet()) {
      var name = entry.getKey();
      if (name.equals("cpu")) {
        cpuMillis = whole(amount(name, entry.getValue()).multiply(MILLIS));
      } else if (name.equals("memory")) {
        memoryBytes = whole(amount(name, entry.getValue()));
      } else if (isExtended(name)) {
        long units = whole(amount(name, entry.getValue()));
        if (units > 0) {
          extended.put(name, units);
        }
      }
    }
    return new Resources(cpuMillis, memoryBytes, extended);
  }

  /** Units of one resource, rounded up; 0 where it is not among them. */
  public long units(String name, Map<String, Quantity> quantities) {
    return quantities.containsKey(name) ? whole(amount(name, quantities.get(name))) : 0;
  }

  /** Whole units of one resource that are left of what there may be, at least 0. */
  public long left(String name, Map<String, Quantity> most, Map<String, Quantity> used) {
    var left = amount(name, most.get(name)).subtract(amount(name, used.get(name)));
    return whole(left.setScale(0, RoundingMode.FLOOR));
  }

  /** Keeps every amount within {@link #MOST}, and their names within {@link #MOST_NAMES}. */
  static Resources bounded(Resources resources) {
    var extended = new TreeMap<>(resources.extended());
    if (extended.size() > MOST_NAMES) {
      var kept = extended.keySet().stream().sorted(DEVICES_FIRST).limit(MOST_NAMES).toList();
      extended.keySet().retainAll(Set.copyOf(kept));
    }
    extended.replaceAll((name, units) -> Math.min(units, MOST));
    return new Resources(
        Math.min(resources.cpuMillis(), MOST), Math.min(resources.memoryBytes(), MOST), extended);
  }

  /**
   * Names with a domain that is not the cluster's own, and those of device classes; the marker is
   * asked of no node.
   */
  private static boolean isExtended(String name) {
    return name.indexOf('/') > 0
        && (!name.contains("kubernetes.io/") || name.startsWith(DeviceClass.IMPLICIT))
        && !name.equals(Accelerators.MARKER);
  }

  private BigDecimal amount(String name, Quantity quantity) {
    if (quantity == null || quantity.getAmount() == null) {
      return BigDecimal.ZERO;
    }
    try {
      var amount = quantity.getNumericalAmount();
      // Exponents beyond any real amount are cut here, before they are written out as digits.
      long digits = (long) amount.precision() - amount.scale();
      if (digits > 24) {
        return amount.signum() > 0 ? MOST_EXACT : BigDecimal.ZERO;
      }
      if (digits < -24) {
        return amount.signum() > 0 ? new BigDecimal("1e-24") : BigDecimal.ZERO;
      }
      return amount;
    } catch (IllegalArgumentException | ArithmeticException _) {
      if (!complained.getAndSet(true)) {
        log.warn(
            "unreadable quantity counted as 0 resource={} quantity={}",
            Sentences.logged(name),
            Sentences.logged(quantity.getAmount()));
      }
      return BigDecimal.ZERO;
    }
  }

  private static long whole(BigDecimal amount) {
    if (amount.signum() <= 0) {
      return 0;
    }
    return amount.compareTo(MOST_EXACT) >= 0
        ? MOST
        : amount.setScale(0, RoundingMode.CEILING).longValueExact();
  }
}
