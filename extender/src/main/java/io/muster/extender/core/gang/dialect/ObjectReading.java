package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.Beside;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Stated;
import io.muster.extender.core.gang.StatedTerms;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.gang.dialect.TopologyReading.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Reads the terms that an object of another ecosystem states. What it leaves out is as that
 * ecosystem has it by default. Stateless; safe for concurrent use.
 */
public final class ObjectReading {

  private static final String TIMEOUT = "spec.scheduleTimeoutSeconds";
  private static final String KOORDINATOR = KoordinatorReader.PREFIX;
  private static final String PLUGINS_TIMEOUT = "60s";

  private ObjectReading() {}

  /**
   * What an object says, as its fields print.
   *
   * @param field where the minimum stands
   * @param min fewest members that may start
   * @param timeoutSeconds how long members are to wait for each other
   * @param roleMinimums fewest members of each role that may start
   * @param closeness the fields that say how close together members are to be
   */
  public record Statement(
      String field,
      Optional<String> min,
      Optional<String> timeoutSeconds,
      Map<String, Integer> roleMinimums,
      Map<String, String> annotations,
      Map<String, String> closeness) {
    public Statement {
      roleMinimums = Map.copyOf(roleMinimums);
      annotations = Map.copyOf(annotations);
      closeness = Map.copyOf(closeness);
    }

    /** Of an object that says no more than a minimum. */
    public Statement(String field, String min) {
      this(field, Optional.of(min), Optional.empty(), Map.of(), Map.of(), Map.of());
    }
  }

  /** The terms of the gang that goes by the object's name. */
  public static Terms read(TermsObject object, Statement said) {
    var terms = terms(object, said);
    return terms instanceof Terms.Usable usable
        ? switch (closeness(object, said)) {
          case Outcome.Bad(var stated, var problem) ->
              new Terms.Unusable(
                  stated.key(),
                  stated.value().orElse(""),
                  "gang \"%s/%s\": %s"
                      .formatted(object.namespace(), Stated.legible(object.gangName()), problem));
          case Outcome.Read(var topology, var _) -> usable.within(topology);
        }
        : terms;
  }

  private static Outcome closeness(TermsObject object, Statement said) {
    return switch (object.kind()) {
      case VOLCANO_POD_GROUP ->
          ForeignTopology.ofTiers(
              field(object, said, "networkTopology", "mode"),
              field(object, said, "networkTopology", "highestTierAllowed"),
              field(object, said, "networkTopology", "highestTierName"));
      case KOORDINATOR_POD_GROUP -> {
        var layers = Stated.in(said.annotations(), ForeignTopology.LAYERS);
        yield layers.value().isPresent()
            ? ForeignTopology.ofLayers(layers)
            : new Outcome.Read(Topology.ANYWHERE, List.of());
      }
      case KAI_POD_GROUP ->
          ForeignTopology.ofLevels(
              field(object, said, "topologyConstraint", "requiredTopologyLevel"),
              field(object, said, "topologyConstraint", "preferredTopologyLevel"));
      case NATIVE_POD_GROUP, NATIVE_WORKLOAD ->
          ForeignTopology.ofLevels(
              field(object, said, "schedulingConstraints.topology", "key"),
              new Stated("", Optional.empty()));
      case PLUGINS_POD_GROUP, JOB, JOB_SET, PYTORCH_JOB, MPI_JOB, RAY_CLUSTER, LEADER_WORKER_SET ->
          new Outcome.Read(Topology.ANYWHERE, List.of());
    };
  }

  private static Stated field(TermsObject object, Statement said, String of, String name) {
    return new Stated(
        "spec.%s.%s of %s \"%s\""
            .formatted(of, name, object.kind().word(), Stated.legible(object.name())),
        Optional.ofNullable(said.closeness().get(name)));
  }

  private static Terms terms(TermsObject object, Statement said) {
    return switch (object.kind()) {
      case PLUGINS_POD_GROUP -> plugins(object, said);
      case KOORDINATOR_POD_GROUP -> koordinator(object, said);
      case VOLCANO_POD_GROUP -> volcano(object, said);
      case KAI_POD_GROUP -> least(object, Dialect.KAI, said);
      case NATIVE_POD_GROUP, NATIVE_WORKLOAD -> least(object, Dialect.NATIVE, said);
      case JOB, JOB_SET, PYTORCH_JOB, MPI_JOB, RAY_CLUSTER, LEADER_WORKER_SET ->
          terms(
              object,
              Dialect.OWNER,
              StatedTerms.of(min(object, said), Terms.MatchPolicy.ONCE_SATISFIED));
    };
  }

  private static Terms least(TermsObject object, Dialect dialect, Statement said) {
    return terms(
        object,
        dialect,
        StatedTerms.of(atLeastOne(min(object, said)), Terms.MatchPolicy.WAITING_AND_RUNNING));
  }

  /** A minimum of 0 lets every pod start. */
  private static Stated atLeastOne(Stated min) {
    return min.integer().orElse(-1) == 0 ? new Stated(min.key(), Optional.of("1")) : min;
  }

  private static Terms plugins(TermsObject object, Statement said) {
    return terms(
        object,
        Dialect.SCHEDULER_PLUGINS,
        StatedTerms.of(min(object, said), Terms.MatchPolicy.WAITING_AND_RUNNING)
            .waiting(new Stated(TIMEOUT, Optional.of(seconds(said).orElse(PLUGINS_TIMEOUT)))));
  }

  private static Terms koordinator(TermsObject object, Statement said) {
    var annotations = said.annotations();
    var groups = Stated.in(annotations, KOORDINATOR + "groups");
    var stated =
        new StatedTerms(
            min(object, said),
            Stated.in(annotations, KOORDINATOR + "total-number"),
            new Stated(TIMEOUT, seconds(said)),
            Stated.in(annotations, KOORDINATOR + "mode"),
            Stated.in(
                annotations,
                KOORDINATOR + "match-policy",
                KoordinatorReader.POD_GROUP + "/match-policy"),
            groups);
    var terms = terms(object, Dialect.KOORDINATOR, stated);
    return terms instanceof Terms.Usable usable && usable.groups().size() > 1
        ? new Terms.Unusable(
            groups.key(),
            groups.value().orElse(""),
            ("gang \"%s/%s\": %s of its PodGroup names other gangs, which Muster reads from pods"
                    + " only; set the gang's name, minimum and groups as annotations of the pods")
                .formatted(object.namespace(), Stated.legible(object.name()), groups.key()))
        : terms;
  }

  /** Minima of roles beyond the minimum are not enforced. */
  private static Terms volcano(TermsObject object, Statement said) {
    var terms = least(object, Dialect.VOLCANO, said);
    var roles = new TreeMap<>(said.roleMinimums());
    roles.values().removeIf(least -> least < 1);
    long ofRoles = roles.values().stream().mapToLong(Integer::longValue).sum();
    return terms instanceof Terms.Usable usable && ofRoles <= usable.minAvailable()
        ? new Terms.InObject(object, new Beside(roles, Optional.empty(), Topology.ANYWHERE))
            .completedBy(usable, new GangId(Dialect.VOLCANO, object.namespace(), object.name()))
        : terms;
  }

  private static Terms terms(TermsObject object, Dialect dialect, StatedTerms stated) {
    var nothingBeside = new Markings(object.namespace(), Map.of(), Map.of());
    var name = new Stated("metadata.name", Optional.of(object.gangName().replace('/', '.')));
    return new MembershipReading(nothingBeside, dialect, name).terms(stated);
  }

  private static Stated min(TermsObject object, Statement said) {
    return new Stated(
        "%s of %s \"%s\""
            .formatted(said.field(), object.kind().word(), Stated.legible(object.name())),
        said.min());
  }

  /** Empty where the default holds: nothing is said, or no time above 0. */
  private static Optional<String> seconds(Statement said) {
    return new Stated(TIMEOUT, said.timeoutSeconds())
        .integer().stream()
            .filter(seconds -> seconds > 0)
            .mapToObj(seconds -> seconds + "s")
            .findFirst();
  }
}
