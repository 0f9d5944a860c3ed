package io.muster.webhook.core.rendezvous;

import io.muster.extender.core.gang.Markings;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the pods of one job kind tell about themselves. Data only, so that a further kind costs a
 * row. Immutable.
 *
 * @param mark a pod that carries it is of this kind
 * @param index where the position among the siblings stands; the first that is there counts
 * @param ordinalOf a value that ends in the position, where no index is there
 * @param onlyJob the number of jobs that share the gang: unless it is 1, positions repeat
 * @param leaders roles whose members come first; positions of the others begin anew
 * @param leader where the first member is found, if its name does not follow from its sibling's
 * @param run a value that no other run of the same job has
 * @param hasOneOwner whether one controller, which differs from run to run, owns all members
 * @param isOneGang whether its members are one gang; those of several may be numbered beyond each
 */
public record OwnerKind(
    String name,
    Mark mark,
    List<Mark> index,
    Optional<Mark> ordinalOf,
    Optional<Mark> onlyJob,
    Optional<Leaders> leaders,
    Optional<LeaderAddress> leader,
    Optional<Mark> run,
    boolean hasOneOwner,
    boolean isOneGang) {

  public OwnerKind {
    index = List.copyOf(index);
  }

  /** A kind that only says where its index is. */
  public static OwnerKind of(String name, Mark mark, Mark... index) {
    return new OwnerKind(
        name,
        mark,
        List.of(index),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        true,
        true);
  }

  /** A label or an annotation. */
  public record Mark(boolean isLabel, String name) {

    /** A label. */
    public static Mark label(String name) {
      return new Mark(true, name);
    }

    /** An annotation. */
    public static Mark annotation(String name) {
      return new Mark(false, name);
    }

    Optional<String> in(Markings markings) {
      return Optional.ofNullable(map(markings).get(name)).filter(value -> !value.isEmpty());
    }

    /** The field of the pod from which the kubelet reads it. */
    String path() {
      return "metadata.%s['%s']".formatted(isLabel ? "labels" : "annotations", name);
    }

    private Map<String, String> map(Markings markings) {
      return isLabel ? markings.labels() : markings.annotations();
    }
  }

  /**
   * Roles whose members come before those of the others. How many there are is what the gang's
   * roles say, or follows from the rank that the kind's own controller has told the pod.
   *
   * @param role where a pod says which role it plays
   * @param names of such roles, in lower case, in their order
   * @param areExpected whether a job may have some though nobody says so
   */
  public record Leaders(Mark role, List<String> names, boolean areExpected) {
    public Leaders {
      names = List.copyOf(names);
    }

    /** Of a job that has several roles, so that some may come first. */
    Leaders expected() {
      return new Leaders(role, names, true);
    }
  }

  /**
   * Where the first member is found. Labels of the pod stand in braces, as does the first member's
   * role.
   *
   * @param domain of the host; empty: the host name is a Service's
   */
  public record LeaderAddress(String host, String domain) {

    /** The first member's role. */
    static final String ROLE = "{role}";
  }
}
