package io.muster.webhook.core.rendezvous;

import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Topology;
import io.muster.webhook.core.patch.EnvVar;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Says how the members of a gang meet. Immutable.
 *
 * <ol>
 *   <li>Every member learns the gang's name and size, its own name and address, and its rank if its
 *       position is known.
 *   <li>By rendezvous profile it learns the same under the names that its launcher reads.
 *   <li>What would have to be guessed is left out and warned about.
 * </ol>
 *
 * Members with the same marks get the same but for what follows from their positions.
 */
public final class Rendezvous {

  private static final String SEGMENT = "MUSTER_SEGMENT";
  private static final String DOMAIN = "MUSTER_DOMAIN";

  /** Names that mean what Muster says, in containers of a gang. */
  public static final List<String> RESERVED =
      List.of("NODE_NUM", "NODE_RANK", "GANG_NAME", "GANG_MIN", SEGMENT, DOMAIN);

  /**
   * On a member: fewest and most nodes that may train together, as {@code 1:4}, where its gang's
   * terms do not tell: those who join a running job are a gang of their own.
   */
  public static final String NODES = "muster.io/rendezvous-nodes";

  private static final Pattern RANGE = Pattern.compile("([1-9][0-9]{0,3}):([1-9][0-9]{0,3})");
  private static final int STATIC_PORT = 29500;
  private static final int ELASTIC_PORT = 29400;
  private static final int TENSORFLOW_PORT = 2222;
  private static final int JAX_PORT = 8476;

  /** With what stands around it in TF_CONFIG it is still a variable that Linux starts with. */
  private static final int LONGEST_LIST = 127 * 1024;

  private final Positions positions;

  /**
   * @param kinds the first whose mark a pod carries tells about it
   */
  public Rendezvous(List<OwnerKind> kinds) {
    this.positions = new Positions(kinds);
  }

  /** How this member meets the others. */
  public Meeting of(GangMember member, RendezvousProfile profile) {
    var warnings = new ArrayList<String>();
    var position = position(member, profile, warnings);
    var siblings =
        profile.meetsAtFirst() && kindHasNoForm(member)
            ? position.flatMap(at -> Addresses.of(member, at))
            : Optional.<Addresses>empty();
    var first = first(member, siblings);
    if (profile.meetsAtFirst() && first.isEmpty()) {
      warnings.add(
          "%s %s: where member 0 is found is not known; use an Indexed Job, or state hostname and"
                  .formatted(RendezvousProfile.KEY, profile.word())
              + " subdomain");
    }
    var byProfile =
        switch (profile) {
          case NONE, HOROVOD_ELASTIC -> List.<EnvVar>of();
          case PLAIN_DDP -> plain(member, position, first);
          case TORCHRUN_STATIC -> torchrunStatic(member, position, first);
          case TORCHRUN_ELASTIC -> torchrunElastic(member, first, warnings);
          case DLROVER -> dlrover(member, position);
          case MPI ->
              List.of(
                  EnvVar.of("OMPI_MCA_orte_keep_fqdn_hostnames", "true"),
                  EnvVar.of("OMPI_MCA_plm_rsh_args", "-o ConnectionAttempts=10"));
          case TENSORFLOW -> tensorflow(member, position, siblings, warnings);
          case JAX -> jax(member, position, first);
        };
    return new Meeting(
        always(member, position),
        byProfile,
        profile == RendezvousProfile.TORCHRUN_STATIC
            || profile == RendezvousProfile.TORCHRUN_ELASTIC,
        byProfile.isEmpty() ? Optional.empty() : siblings.flatMap(Addresses::own),
        warnings);
  }

  /** What tells the members of such a gang where they are, once they have a place. */
  public static List<EnvVar> location(Topology topology) {
    var env = new ArrayList<EnvVar>();
    if (!topology.segments().isEmpty()) {
      env.add(EnvVar.fromField(SEGMENT, annotation(GangKeys.SEGMENT)));
    }
    if (!topology.isAnywhere()) {
      env.add(EnvVar.fromField(DOMAIN, annotation(GangKeys.DOMAIN)));
    }
    return env;
  }

  private static String annotation(String key) {
    return "metadata.annotations['%s']".formatted(key);
  }

  /** Elastic launchers count anew who is there: members beyond the total wait for a place. */
  private Optional<Position> position(
      GangMember member, RendezvousProfile profile, List<String> warnings) {
    var position = positions.of(member);
    int total = member.terms().totalMembers();
    if (profile.isElastic()
        || !positions.kindOf(member).map(OwnerKind::isOneGang).orElse(true)
        || position.filter(at -> at.rank() >= total).isEmpty()) {
      return position;
    }
    warnings.add(
        "rank %d is not used: the gang has %d members, counted from 0; begin with index 0, or set %s"
            .formatted(position.get().rank(), total, GangKeys.TOTAL));
    return Optional.empty();
  }

  private Optional<String> first(GangMember member, Optional<Addresses> siblings) {
    var role = positions.firstRole(member);
    var form = positions.kindOf(member).flatMap(OwnerKind::leader);
    if (form.isPresent()) {
      return Addresses.of(form.get(), member, role);
    }
    var roles = positions.rolesOf(member);
    var firsts =
        roles.isEmpty()
            ? siblings
            : siblings.flatMap(all -> role.flatMap(first -> all.of(first, roles.get().own())));
    return firsts.map(addresses -> addresses.of(0));
  }

  private boolean kindHasNoForm(GangMember member) {
    return positions.kindOf(member).flatMap(OwnerKind::leader).isEmpty();
  }

  private static List<EnvVar> always(GangMember member, Optional<Position> position) {
    var env = new ArrayList<EnvVar>();
    env.add(nodes("NODE_NUM", member));
    position.ifPresent(at -> env.add(new EnvVar("NODE_RANK", at.source())));
    env.add(EnvVar.of("GANG_NAME", member.gang()));
    env.add(EnvVar.of("GANG_MIN", Integer.toString(member.terms().minAvailable())));
    env.add(EnvVar.fromField("POD_NAME", "metadata.name"));
    env.add(EnvVar.fromField("POD_IP", "status.podIP"));
    return env;
  }

  private static List<EnvVar> plain(
      GangMember member, Optional<Position> position, Optional<String> first) {
    var env = new ArrayList<EnvVar>();
    position.ifPresent(at -> env.add(new EnvVar("RANK", at.source())));
    env.add(nodes("WORLD_SIZE", member));
    env.addAll(master("", first));
    return env;
  }

  private static List<EnvVar> torchrunStatic(
      GangMember member, Optional<Position> position, Optional<String> first) {
    var env = new ArrayList<EnvVar>();
    env.add(nodes("PET_NNODES", member));
    position.ifPresent(at -> env.add(new EnvVar("PET_NODE_RANK", at.source())));
    env.addAll(master("PET_", first));
    env.addAll(master("", first));
    return env;
  }

  private static List<EnvVar> master(String prefix, Optional<String> first) {
    return first
        .map(address ->
            List.of(
                EnvVar.of(prefix + "MASTER_ADDR", address),
                EnvVar.of(prefix + "MASTER_PORT", Integer.toString(STATIC_PORT))))
        .orElse(List.of());
  }

  /** The id differs from run to run, so that processes of the last one are not joined. */
  private List<EnvVar> torchrunElastic(
      GangMember member, Optional<String> first, List<String> warnings) {
    var env = new ArrayList<EnvVar>();
    env.add(EnvVar.of("PET_NNODES", range(member, warnings)));
    env.add(EnvVar.of("PET_RDZV_BACKEND", "c10d"));
    first.ifPresent(
        address -> env.add(EnvVar.of("PET_RDZV_ENDPOINT", address + ":" + ELASTIC_PORT)));
    run(member).ifPresent(id -> env.add(EnvVar.of("PET_RDZV_ID", id)));
    return env;
  }

  private static String range(GangMember member, List<String> warnings) {
    var terms = member.terms();
    var ofGang = terms.minAvailable() + ":" + terms.totalMembers();
    var stated = member.markings().annotations().getOrDefault(NODES, ofGang);
    var bounds = RANGE.matcher(stated);
    if (bounds.matches()
        && Integer.parseInt(bounds.group(1)) <= Integer.parseInt(bounds.group(2))) {
      return stated;
    }
    warnings.add(
        "%s: \"%s\" is not used; write fewest and most nodes, as \"1:4\"".formatted(NODES, stated));
    return ofGang;
  }

  private Optional<String> run(GangMember member) {
    return positions
        .kindOf(member)
        .map(kind ->
            kind.run()
                .flatMap(key -> key.in(member.markings()))
                .or(() -> member.controller().filter(_ -> kind.hasOneOwner())))
        .orElseGet(member::controller);
  }

  private static List<EnvVar> dlrover(GangMember member, Optional<Position> position) {
    var env = new ArrayList<EnvVar>();
    env.add(EnvVar.of("NODE_TYPE", "worker"));
    position.ifPresent(at -> {
      env.add(new EnvVar("NODE_ID", at.source()));
      env.add(new EnvVar("RANK", at.source()));
      env.add(new EnvVar("WORKER_RANK", at.source()));
    });
    env.add(nodes("WORLD_SIZE", member));
    env.add(nodes("WORKER_NUM", member));
    return env;
  }

  /** The list must name everybody, so there is none where members or their names may differ. */
  private static List<EnvVar> tensorflow(
      GangMember member,
      Optional<Position> position,
      Optional<Addresses> siblings,
      List<String> warnings) {
    var terms = member.terms();
    if (terms.totalMembers() != terms.minAvailable()
        || terms.roles().size() > 1
        || siblings.isEmpty()) {
      warnings.add(
          "%s tensorflow: no TF_CONFIG, which needs one role, a fixed size and known host names"
              .formatted(RendezvousProfile.KEY));
      return List.of();
    }
    // Each in quotes, with its port and a comma.
    long length = terms.totalMembers() * (siblings.get().of(terms.totalMembers()).length() + 8L);
    if (length > LONGEST_LIST) {
      warnings.add(
          ("%s tensorflow: no TF_CONFIG, since a list of %d workers is longer than Linux lets a"
                  + " variable be (128 KiB)")
              .formatted(RendezvousProfile.KEY, terms.totalMembers()));
      return List.of();
    }
    var workers =
        siblings.get().first(terms.totalMembers(), TENSORFLOW_PORT).stream()
            .collect(Collectors.joining("\",\"", "[\"", "\"]"));
    return List.of(
        EnvVar.of(
            "TF_CONFIG",
            "{\"cluster\":{\"worker\":%s},\"task\":{\"type\":\"worker\",\"index\":%d}}"
                .formatted(workers, position.orElseThrow().rank())));
  }

  private static List<EnvVar> jax(
      GangMember member, Optional<Position> position, Optional<String> first) {
    var env = new ArrayList<EnvVar>();
    first.ifPresent(
        address -> env.add(EnvVar.of("JAX_COORDINATOR_ADDRESS", address + ":" + JAX_PORT)));
    env.add(nodes("JAX_NUM_PROCESSES", member));
    position.ifPresent(at -> env.add(new EnvVar("JAX_PROCESS_ID", at.source())));
    return env;
  }

  private static EnvVar nodes(String name, GangMember member) {
    return EnvVar.of(name, Integer.toString(member.terms().totalMembers()));
  }
}
