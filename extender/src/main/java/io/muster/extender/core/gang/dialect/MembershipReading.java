package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.Beside;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.extender.core.gang.RoleMinimums;
import io.muster.extender.core.gang.Stated;
import io.muster.extender.core.gang.StatedTerms;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One reading of what a pod states about its gang. A value without which the gang's promise cannot
 * be kept (name, minimum, the gangs it starts with) makes the terms unusable; any other bad value
 * is a warning and its default. Serves one call; not for sharing.
 */
public final class MembershipReading {

  static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(10);
  private static final Duration MAX_TIMEOUT = Duration.ofHours(24);
  private static final int MAX_GROUPS = 32;
  private static final int MAX_GROUPS_CHARACTERS = 64 * 1024;
  private static final String COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";

  /** No blanks or separators, so that a gang's name stays one word wherever it is printed. */
  private static final Pattern NAME = Pattern.compile("[^\\s\\p{Cntrl}/,\"]{1,253}");

  private static final Pattern GROUP = Pattern.compile("[^\\s/,]{1,253}/[^\\s/,]{1,253}");

  private final Markings markings;
  private final Stated name;
  private final GangId gang;
  private final List<String> warnings = new ArrayList<>();

  MembershipReading(Markings markings, Dialect dialect, Stated name) {
    this.markings = markings;
    this.name = name;
    this.gang = new GangId(dialect, markings.namespace(), name.value().orElse(""));
  }

  /** A member that states the terms itself. */
  Membership read(StatedTerms stated, Stated index) {
    return membership(terms(stated), "", index);
  }

  /**
   * A member whose terms stand in the object of its gang's name.
   *
   * @param role which it plays by the markings of its dialect; empty if they name none
   */
  Membership readFrom(TermsObject.Kind kind, String role, Stated index) {
    return readFrom(new TermsObject(kind, gang.namespace(), gang.name()), role, index);
  }

  /** The same for an object of another name. */
  Membership readFrom(TermsObject object, String role, Stated index) {
    var terms =
        badName()
            .<Terms>map(bad -> bad)
            .orElseGet(() ->
                switch (beside()) {
                  case Saying.Sense(var beside) -> new Terms.InObject(object, beside);
                  case Saying.Nonsense(var problem) -> problem;
                });
    return membership(terms, role, index);
  }

  /** A member that names an owner of which nothing can be read. */
  Membership ofNobody(Stated index) {
    var kinds =
        Arrays.stream(TermsObject.Kind.values())
            .filter(TermsObject.Kind::isOwner)
            .map(TermsObject.Kind::word)
            .collect(Collectors.joining(", "));
    return membership(
        unusable(
            name,
            "gang %s: %s must be Kind/name with one of the kinds %s"
                .formatted(name.shown(), name.key(), kinds)),
        "",
        index);
  }

  private Membership membership(Terms terms, String role, Stated index) {
    var own = Stated.in(markings.annotations(), GangKeys.ROLE).value().orElse(role);
    return new Membership(
        gang, terms, own, index(index), warnings, new NvlinkDomain(nvlink(), false));
  }

  private Optional<Terms.Unusable> badName() {
    return NAME.matcher(gang.name()).matches()
        ? Optional.empty()
        : Optional.of(
            unusable(
                name,
                "gang %s: %s must be 1 to 253 characters without blanks, quotes, \"/\" and \",\""
                    .formatted(name.shown(), name.key())));
  }

  /** What the terms are; a value that is of no use makes them unusable. */
  Terms terms(StatedTerms stated) {
    var badName = badName();
    if (badName.isPresent()) {
      return badName.get();
    }
    if (stated.min().value().isEmpty()) {
      return unusable(
          stated.min(),
          "gang \"%s\": no minimum size; set %s to the fewest members that may start"
              .formatted(gang, stated.min().key()));
    }
    var min = stated.min().integer();
    if (min.isEmpty() || min.getAsInt() < 1 || min.getAsInt() > Terms.MAX_MEMBERS) {
      return unusable(
          stated.min(),
          "gang \"%s\": %s is %s; it must be an integer from 1 to %d"
              .formatted(gang, stated.min().key(), stated.min().shown(), Terms.MAX_MEMBERS));
    }
    if (stated.groups().value().orElse("").length() > MAX_GROUPS_CHARACTERS) {
      return unusable(
          stated.groups(),
          "gang \"%s\": %s is longer than 64 KiB".formatted(gang, stated.groups().key()));
    }
    var others = namedGroups(stated.groups());
    if (others.isPresent() && others.get().size() > MAX_GROUPS) {
      return unusable(
          stated.groups(),
          "gang \"%s\": %s names more than %d gangs"
              .formatted(gang, stated.groups().key(), MAX_GROUPS));
    }
    if (others.isPresent() && !others.get().contains(gang.toString())) {
      return unusable(
          stated.groups(),
          "gang \"%s\": %s does not name the gang itself; add \"%s\""
              .formatted(gang, stated.groups().key(), gang));
    }
    var foreign = others.orElse(ownGroup()).stream().filter(this::isForeign).findFirst();
    if (foreign.isPresent()) {
      return unusable(
          stated.groups(),
          "gang \"%s\": %s names \"%s\"; gangs that start together must be in one namespace"
              .formatted(gang, stated.groups().key(), Stated.shortened(foreign.get())));
    }
    return switch (beside()) {
      case Saying.Nonsense(var problem) -> problem;
      case Saying.Sense(var beside) when beside.ofRoles() > min.getAsInt() ->
          unusable(
              Stated.in(markings.annotations(), GangKeys.ROLES),
              "gang \"%s\": %s asks for %d members, which is more than the %d of %s"
                  .formatted(
                      gang, GangKeys.ROLES, beside.ofRoles(), min.getAsInt(), stated.min().key()));
      case Saying.Sense(var beside) ->
          new Terms.Usable(
              min.getAsInt(),
              total(stated.total(), min.getAsInt()),
              mode(stated.mode()),
              matchPolicy(stated.matchPolicy()),
              timeout(stated.timeout()),
              others.orElse(ownGroup()),
              beside.roles(),
              beside.onLoss().orElse(Terms.OnLoss.REPLACE),
              beside.topology());
    };
  }

  /** What stands beside the terms, or what is wrong with it. */
  private sealed interface Saying {

    record Sense(Beside beside) implements Saying {}

    record Nonsense(Terms.Unusable problem) implements Saying {}
  }

  private Saying beside() {
    var written = Stated.in(markings.annotations(), GangKeys.ROLES);
    var roles = RoleMinimums.parse(written.value().orElse(""));
    if (roles.isEmpty()) {
      return new Saying.Nonsense(
          unusable(
              written,
              "gang \"%s\": %s is %s; it must be roles and their minimums, like launcher=1,worker=4"
                  .formatted(gang, written.key(), written.shown())));
    }
    var nvlink = Stated.in(markings.annotations(), GangKeys.NVLINK_DOMAIN);
    if (nvlink.value().isPresent() && nvlink() == NvlinkDomain.Word.UNSTATED) {
      return new Saying.Nonsense(
          unusable(
              nvlink,
              "gang \"%s\": %s is %s; it must be one of %s"
                  .formatted(gang, nvlink.key(), nvlink.shown(), NvlinkDomain.Word.allowed())));
    }
    return switch (TopologyReading.read(markings)) {
      case TopologyReading.Outcome.Bad(var stated, var problem) ->
          new Saying.Nonsense(unusable(stated, "gang \"%s\": %s".formatted(gang, problem)));
      case TopologyReading.Outcome.Read(var topology, var told) -> {
        warnings.addAll(told);
        yield new Saying.Sense(
            new Beside(
                roles.get(),
                onLoss(Stated.in(markings.annotations(), GangKeys.ON_LOSS)),
                topology.joining(
                    Stated.in(markings.annotations(), GangKeys.JOINS)
                        .value()
                        .filter(joined -> NAME.matcher(joined).matches()))));
      }
    };
  }

  private NvlinkDomain.Word nvlink() {
    return Stated.in(markings.annotations(), GangKeys.NVLINK_DOMAIN)
        .value()
        .flatMap(NvlinkDomain.Word::of)
        .orElse(NvlinkDomain.Word.UNSTATED);
  }

  private boolean isForeign(String name) {
    return !name.startsWith(gang.namespace() + "/");
  }

  private Optional<Terms.OnLoss> onLoss(Stated stated) {
    return stated
        .value()
        .map(word ->
            switch (word) {
              case "replace" -> Terms.OnLoss.REPLACE;
              case "shrink" -> Terms.OnLoss.SHRINK;
              case "restart" -> Terms.OnLoss.RESTART;
              case "owner" -> Terms.OnLoss.OWNER;
              default -> {
                warn(stated, "is none of replace, shrink, restart and owner; replace is used");
                yield Terms.OnLoss.REPLACE;
              }
            });
  }

  private static Terms.Unusable unusable(Stated stated, String problem) {
    return new Terms.Unusable(stated.key(), stated.value().orElse(""), problem);
  }

  private int total(Stated stated, int min) {
    if (stated.value().isEmpty()) {
      return min;
    }
    var total = stated.integer();
    if (total.isEmpty() || total.getAsInt() < min || total.getAsInt() > Terms.MAX_MEMBERS) {
      warn(
          stated, "is no integer from %d to %d; %d is used".formatted(min, Terms.MAX_MEMBERS, min));
      return min;
    }
    return total.getAsInt();
  }

  private Duration timeout(Stated stated) {
    if (stated.value().isEmpty()) {
      return DEFAULT_TIMEOUT;
    }
    var timeout = GoDuration.parse(stated.value().get());
    if (timeout.isEmpty()
        || !timeout.get().isPositive()
        || timeout.get().compareTo(MAX_TIMEOUT) > 0) {
      warn(stated, "is no duration above 0 and up to 24h; 600s is used");
      return DEFAULT_TIMEOUT;
    }
    return timeout.get();
  }

  private Terms.Mode mode(Stated stated) {
    return switch (stated.value().orElse("Strict")) {
      case "Strict" -> Terms.Mode.STRICT;
      case "NonStrict" -> Terms.Mode.NON_STRICT;
      default -> {
        warn(stated, "is neither Strict nor NonStrict; Strict is used");
        yield Terms.Mode.STRICT;
      }
    };
  }

  private Terms.MatchPolicy matchPolicy(Stated stated) {
    if (stated.value().isEmpty()) {
      return Terms.MatchPolicy.ONCE_SATISFIED;
    }
    return Arrays.stream(Terms.MatchPolicy.values())
        .filter(policy -> policy.word().equals(stated.value().get()))
        .findFirst()
        .orElseGet(() -> {
          warn(stated, "is no match policy; once-satisfied is used");
          return Terms.MatchPolicy.ONCE_SATISFIED;
        });
  }

  /** The gangs a well-formed list names; empty where the own gang stands alone. */
  private Optional<SortedSet<String>> namedGroups(Stated stated) {
    if (stated.value().isEmpty()) {
      return Optional.empty();
    }
    var names = StringArray.parse(stated.value().get());
    if (names.isEmpty() || !names.get().stream().allMatch(n -> GROUP.matcher(n).matches())) {
      warn(stated, "is no JSON array of \"namespace/name\"; the gang starts alone");
      return Optional.empty();
    }
    return names.get().isEmpty() ? Optional.empty() : Optional.of(new TreeSet<>(names.get()));
  }

  private SortedSet<String> ownGroup() {
    return new TreeSet<>(List.of(gang.toString()));
  }

  private int index(Stated stated) {
    if (stated.value().isPresent()) {
      var index = stated.integer();
      if (index.isPresent() && index.getAsInt() >= 0) {
        return index.getAsInt();
      }
      warn(stated, "is no integer of at least 0; it is ignored");
    }
    var completion =
        Stated.firstOf(
            List.of(
                Stated.in(markings.annotations(), COMPLETION_INDEX),
                Stated.in(markings.labels(), COMPLETION_INDEX)));
    return Math.max(-1, completion.integer().orElse(-1));
  }

  private void warn(Stated stated, String sentence) {
    warnings.add("%s: %s %s".formatted(stated.key(), stated.shown(), sentence));
  }
}
