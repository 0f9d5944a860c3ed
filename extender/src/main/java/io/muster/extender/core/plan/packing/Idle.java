package io.muster.extender.core.plan.packing;

/**
 * What is idle on a node, as far as packing reads it: cpu in thousandths of a core, devices that
 * are wholly idle, and for devices in use by sharers what is left of each in thousandths (none on a
 * live cluster, where devices are whole). Model is the kind of its devices, empty where that does
 * not matter. Immutable.
 */
public final class Idle {

  /** Thousandths of a device. */
  public static final int DEVICE = 1000;

  private static final int[] NO_SHARES = {};

  private final long cpuMillis;
  private final long whole;
  private final int[] shares;
  private final String model;
  private final long milli;

  private Idle(long cpuMillis, long whole, int[] shares, String model) {
    this.cpuMillis = cpuMillis;
    this.whole = whole;
    this.shares = shares;
    this.model = model;
    long sum = whole * DEVICE;
    for (int share : shares) {
      sum += share;
    }
    this.milli = sum;
  }

  /** A node whose devices are taken whole; what is over-used counts as nothing idle. */
  public static Idle whole(long cpuMillis, long devices) {
    return new Idle(Math.max(0, cpuMillis), Math.max(0, devices), NO_SHARES, "");
  }

  /** A node whose devices may be shared; {@code idle} holds thousandths per device. */
  static Idle shared(long cpuMillis, int[] idle, String model) {
    int whole = 0;
    int partly = 0;
    for (int left : idle) {
      if (left == DEVICE) {
        whole++;
      } else if (left > 0) {
        partly++;
      }
    }
    var shares = partly == 0 ? NO_SHARES : new int[partly];
    for (int left : idle) {
      if (left > 0 && left < DEVICE) {
        shares[--partly] = left;
      }
    }
    return new Idle(cpuMillis, whole, shares, model);
  }

  /** Whether no device is in part idle. */
  boolean isWhole() {
    return shares.length == 0;
  }

  long whole() {
    return whole;
  }

  long cpuMillis() {
    return cpuMillis;
  }

  String model() {
    return model;
  }

  /** Thousandths of devices in all. */
  long milli() {
    return milli;
  }

  /** Devices of which at least this many thousandths are idle. */
  long devicesWith(int share) {
    long found = whole;
    for (int left : shares) {
      if (left >= share) {
        found++;
      }
    }
    return found;
  }

  /** Thousandths on devices that have less than this left. */
  long milliBelow(int share) {
    long sum = 0;
    for (int left : shares) {
      if (left < share) {
        sum += left;
      }
    }
    return sum;
  }
}
