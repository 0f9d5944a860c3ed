package io.muster.extender.core.gang;

import java.util.List;

/**
 * That a pod belongs to a gang, and what it says about it.
 *
 * @param role which of the gang's parts it plays; empty if it states none
 * @param index position among the members if the pod states one, else -1
 * @param nvlink whether it shares NVLink over nodes with the others
 * @param warnings sentences about values that were ignored or replaced by a default
 */
public record Membership(
    GangId gang, Terms terms, String role, int index, List<String> warnings, NvlinkDomain nvlink) {
  public Membership {
    warnings = List.copyOf(warnings);
  }

  /** A member that says nothing about NVLink over nodes. */
  public Membership(GangId gang, Terms terms, String role, int index, List<String> warnings) {
    this(gang, terms, role, index, warnings, NvlinkDomain.UNSTATED);
  }

  /** A member that plays no role of its own. */
  public Membership(GangId gang, Terms terms, int index, List<String> warnings) {
    this(gang, terms, "", index, warnings);
  }

  /**
   * The same member once something else in its pod forbids that it is ever placed.
   *
   * @param problem what is wrong and what would be right, to follow the gang's name
   */
  public Membership unplaceable(String field, String value, String problem) {
    return with(new Terms.Unplaceable(field, value, sentence(problem)));
  }

  /**
   * The same member once something that it says about its gang turns out to be of no use.
   *
   * @param problem what is wrong and what would be right, to follow the gang's name
   */
  public Membership unusable(String field, String value, String problem) {
    return with(new Terms.Unusable(field, value, sentence(problem)));
  }

  private String sentence(String problem) {
    return "gang \"%s/%s\": %s".formatted(gang.namespace(), Stated.legible(gang.name()), problem);
  }

  /** How close together it says itself that its gang is to be. */
  public Topology topology() {
    var stated =
        switch (terms) {
          case Terms.Usable usable -> usable.topology();
          case Terms.InObject inObject -> inObject.beside().topology();
          case Terms.Unusable _, Terms.Unplaceable _ -> Topology.ANYWHERE;
        };
    return stated.isAnywhere() ? nvlink.word().topology() : stated;
  }

  /** The same member under other terms. */
  public Membership with(Terms others) {
    return new Membership(gang, others, role, index, warnings, nvlink);
  }

  /** The same member, which names the template of its gang's NVLink domain. */
  public Membership claimingNvlink() {
    return new Membership(gang, terms, role, index, warnings, nvlink.claimed());
  }
}
