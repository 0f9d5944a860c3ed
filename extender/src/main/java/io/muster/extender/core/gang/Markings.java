package io.muster.extender.core.gang;

import java.util.Map;
import java.util.Optional;

/**
 * What a pod carries that may name a gang. Immutable.
 *
 * @param nativeGroup what it says to the cluster's own gang scheduling
 */
public record Markings(
    String namespace,
    Map<String, String> labels,
    Map<String, String> annotations,
    Optional<NativeGroup> nativeGroup) {
  public Markings {
    labels = Map.copyOf(labels);
    annotations = Map.copyOf(annotations);
  }

  /**
   * A group of the cluster's own gang scheduling.
   *
   * @param terms where its terms stand
   */
  public record NativeGroup(String name, TermsObject terms) {

    /**
     * All names of PodGroups that Muster makes end so. The domain is Muster's, as that of its keys
     * is: nobody else gives such a name.
     */
    public static final String SUFFIX = ".gang.muster.io";

    private static final int LONGEST_NAME = 63;

    /** The name that the gang's own PodGroup has, and no other gang's of the namespace. */
    public static String nameOf(GangId gang) {
      return gang.objectName(LONGEST_NAME) + SUFFIX;
    }

    /** Whether Muster makes it, for whatever gang. */
    public boolean isMusters() {
      return isMusters(name);
    }

    /** Whether Muster makes the one of that name. */
    public static boolean isMusters(String name) {
      return name.endsWith(SUFFIX);
    }
  }

  /** Those of a pod that says nothing to the cluster's own gang scheduling. */
  public Markings(String namespace, Map<String, String> labels, Map<String, String> annotations) {
    this(namespace, labels, annotations, Optional.empty());
  }

  /** The same of a pod that does. */
  public Markings in(NativeGroup group) {
    return new Markings(namespace, labels, annotations, Optional.of(group));
  }
}
