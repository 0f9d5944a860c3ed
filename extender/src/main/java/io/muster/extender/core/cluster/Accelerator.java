package io.muster.extender.core.cluster;

/**
 * One name, or family of names, under which a cluster offers accelerators. Immutable.
 *
 * @param pattern the resource's name; one {@code *} stands for a model or profile
 * @param vendor whose devices, or whose way of sharing them
 * @param askFor what a member of a gang asks for: the name itself where it may
 */
public record Accelerator(String pattern, Kind kind, String vendor, String askFor) {

  private static final String ANY = "*";

  /** What one unit of a resource is. */
  public enum Kind {
    /** A device of its own. */
    WHOLE,
    /** A part of a device that the hardware keeps apart, offered by the node as if a device. */
    PARTITION,
    /** A device that others use too, or some hundredths of one. */
    SHARE,
    /** Memory of a device. */
    MEMORY;

    /** Whether units can be counted per node, so that a gang can be placed by them. */
    public boolean isCounted() {
      return switch (this) {
        case WHOLE, PARTITION -> true;
        case SHARE, MEMORY -> false;
      };
    }
  }

  /** Whether the name is this one, or one of this family. */
  public boolean matches(String name) {
    int any = pattern.indexOf(ANY);
    return any < 0
        ? pattern.equals(name)
        : name.length() >= pattern.length()
            && name.startsWith(pattern.substring(0, any))
            && name.endsWith(pattern.substring(any + 1));
  }

  /** Whether it stands for many names. */
  boolean isFamily() {
    return pattern.contains(ANY);
  }

  /** The pattern up to what varies. */
  String head() {
    int any = pattern.indexOf(ANY);
    return any < 0 ? pattern : pattern.substring(0, any);
  }
}
