package io.muster.extender.core.gang;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a member says about NVLink over nodes. Immutable.
 *
 * @param isClaimed whether the member names the template of its gang's domain
 */
public record NvlinkDomain(Word word, boolean isClaimed) {

  /** On nodes: those with the same value are linked by NVLink. */
  public static final String LEVEL = "nvidia.com/gpu.clique";

  /** The API group of ComputeDomains, and its version. */
  public static final String GROUP = "resource.nvidia.com";

  public static final String VERSION = "v1beta1";

  /** Of a member that says nothing. */
  public static final NvlinkDomain UNSTATED = new NvlinkDomain(Word.UNSTATED, false);

  private static final int LONGEST_NAME = 63;

  /** All names of objects that are made for a gang begin so. */
  public static final String PREFIX = "muster-";

  /** What is asked for, the least first. */
  public enum Word {
    UNSTATED,
    NONE,
    /** Where the cluster has such domains. */
    AUTO,
    /** In one domain or not at all. */
    REQUIRED;

    /** How close together the members are to be. */
    public Topology topology() {
      return switch (this) {
        case UNSTATED, NONE -> Topology.ANYWHERE;
        case AUTO -> Topology.preferring(LEVEL);
        case REQUIRED -> Topology.requiring(LEVEL);
      };
    }

    /** As users spell it. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Whether members are to claim a domain, where there are any. */
    public boolean asks() {
      return this == AUTO || this == REQUIRED;
    }

    /** The word so spelt; empty for any other. */
    public static Optional<Word> of(String text) {
      return Arrays.stream(values())
          .filter(word -> word != UNSTATED && word.text().equals(text))
          .findFirst();
    }

    /** Those that users may write. */
    public static String allowed() {
      return Arrays.stream(values())
          .filter(word -> word != UNSTATED)
          .map(Word::text)
          .sorted()
          .collect(Collectors.joining(", "));
    }
  }

  /** The same of a member that names the template. */
  public NvlinkDomain claimed() {
    return new NvlinkDomain(word, true);
  }

  /**
   * The name of the gang's ComputeDomain, and of the ResourceClaimTemplate that is made for it: a
   * DNS label, always the same for a gang, and no other gang's of the namespace.
   */
  public static String nameOf(GangId gang) {
    return PREFIX + gang.objectName(LONGEST_NAME - PREFIX.length());
  }
}
