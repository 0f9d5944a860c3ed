package io.muster.deploy.board.feed;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.muster.deploy.view.Explaining;
import io.muster.deploy.view.Explanation;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * All that is told of one gang. A wire type: what is absent is null. Immutable.
 *
 * @param evidence what the message about it rests on, one line each
 * @param commands to look further with
 * @param left sentences: what is left out, and why
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GangPage(
    String namespace,
    String name,
    List<GangStatus.Milestone> milestones,
    List<Member> members,
    List<Term> terms,
    List<EventRow> events,
    List<String> evidence,
    List<String> commands,
    List<String> left) {

  /** Whose end would make room is worked out no longer than that. */
  private static final Duration LONGEST_SEARCH = Duration.ofSeconds(2);

  private static final int MOST_MEMBERS = Terms.MAX_MEMBERS;
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._/-]+");

  /** A pod of it. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Member(
      String name, String role, Integer index, String node, String standing, String since) {}

  /** What it asks of Muster. */
  public record Term(String name, String value) {}

  /** An event about it. */
  public record EventRow(String time, String type, String reason, String message, int count) {}

  /**
   * The gang of that name that is shown; of two dialects the one that has pods. Empty if there is
   * none.
   */
  public static Optional<GangId> find(Seen seen, String namespace, String name) {
    var ofPods =
        seen.pods(namespace).stream()
            .filter(pod -> !pod.isTerminal())
            .flatMap(pod -> Explaining.gangOf(pod).stream())
            .filter(gang -> gang.name().equals(name))
            .min(Comparator.naturalOrder());
    return ofPods.or(() ->
        seen.objects().keySet().stream()
            .filter(gang -> gang.namespace().equals(namespace) && gang.name().equals(name))
            .min(Comparator.naturalOrder()));
  }

  /**
   * The page about that gang.
   *
   * @param whole whether evidence is told too, which may name whatever is in the cluster
   * @param left what could not be asked for it
   */
  public static GangPage of(
      Seen seen, GangId gang, boolean whole, List<EventRow> events, List<String> left) {
    var members =
        seen.pods(gang.namespace()).stream()
            .filter(pod -> Explaining.gangOf(pod).equals(Optional.of(gang)))
            .limit(MOST_MEMBERS)
            .toList();
    return new GangPage(
        gang.namespace(),
        gang.name(),
        milestones(Optional.ofNullable(seen.objects().get(gang))),
        members.stream().map(GangPage::member).toList(),
        terms(gang, members),
        events,
        whole ? evidence(seen, gang) : List.of(),
        commands(gang, members),
        left);
  }

  private static List<String> evidence(Seen seen, GangId gang) {
    synchronized (seen) {
      long until = System.nanoTime() + LONGEST_SEARCH.toNanos();
      return new Explaining(seen, () -> System.nanoTime() - until > 0)
          .gang(gang)
          .map(Explanation::evidence)
          .orElse(List.of());
    }
  }

  private static List<GangStatus.Milestone> milestones(Optional<Gang> object) {
    return object.map(Gang::getStatus).map(GangStatus::milestones).orElse(List.of());
  }

  private static Member member(Pod pod) {
    var member = pod.membership().or(pod::observed);
    return new Member(
        pod.key().name(),
        member.map(Membership::role).filter(role -> !role.isEmpty()).orElse(null),
        member.map(Membership::index).filter(index -> index >= 0).orElse(null),
        pod.progress().nodeName().orElse(null),
        standing(pod),
        pod.progress().startedAt().orElse(pod.origin().createdAt()).toString());
  }

  private static String standing(Pod pod) {
    boolean runs =
        pod.progress().phase() == Pod.Phase.RUNNING && !pod.progress().deleting() && pod.isBound();
    return runs ? "running" : Explaining.standing(pod);
  }

  private static List<Term> terms(GangId gang, List<Pod> members) {
    var terms = new ArrayList<Term>();
    terms.add(new Term("dialect", gang.dialect().label()));
    var first = members.stream().findFirst();
    first
        .flatMap(pod -> pod.membership().or(pod::observed))
        .map(Membership::terms)
        .ifPresent(stated -> {
          switch (stated) {
            case Terms.Usable usable -> addTo(terms, usable);
            case Terms.InObject(var object, _) ->
                terms.add(new Term("terms stand in", object.kind().word() + " " + object.name()));
            case Terms.Unusable unusable -> terms.add(new Term("not usable", unusable.problem()));
            case Terms.Unplaceable unplaceable ->
                terms.add(new Term("cannot be placed", unplaceable.problem()));
          }
        });
    first.ifPresent(pod -> {
      var hints = pod.wishes().hints();
      terms.add(new Term("priority", Integer.toString(pod.origin().priority())));
      terms.add(new Term("asks, each", pod.demand().requests().shown()));
      hints.queue().ifPresent(queue -> terms.add(new Term("queue named", queue)));
      hints.runTime().ifPresent(time -> terms.add(new Term("run time stated", shown(time))));
      hints.runTimeLimit().ifPresent(time -> terms.add(new Term("run-time limit", shown(time))));
      terms.add(new Term("scheduler", pod.origin().schedulerName()));
    });
    return terms;
  }

  private static void addTo(List<Term> terms, Terms.Usable usable) {
    terms.add(new Term("min available", Integer.toString(usable.minAvailable())));
    terms.add(new Term("members in all", Integer.toString(usable.totalMembers())));
    if (usable.groups().size() > 1) {
      terms.add(new Term("starts together with", String.join(", ", usable.groups())));
    }
    usable
        .roles()
        .forEach((role, least) -> terms.add(new Term("at least of role " + role, "" + least)));
    usable.topology().required().ifPresent(level -> terms.add(new Term("all in one", level)));
    if (!usable.topology().preferred().isEmpty()) {
      terms.add(new Term("near each other by", String.join(", ", usable.topology().preferred())));
    }
    terms.add(new Term("when a member is lost", usable.onLoss().name().toLowerCase(Locale.ROOT)));
  }

  private static String shown(Duration time) {
    return time.toString().substring(2).toLowerCase(Locale.ROOT);
  }

  private static List<String> commands(GangId gang, List<Pod> members) {
    var commands = new ArrayList<String>();
    commands.add(
        "kubectl muster explain -n %s %s"
            .formatted(gang.namespace(), quoted("gang/" + gang.name())));
    commands.add("kubectl -n %s get gangs -o wide".formatted(gang.namespace()));
    members.stream()
        .findFirst()
        .ifPresent(pod ->
            commands.add(
                "kubectl -n %s describe pod %s".formatted(gang.namespace(), pod.key().name())));
    return commands;
  }

  /** One word for a shell: a gang may be named like a command. */
  private static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  /** An event as it is shown; what it does not say is empty. */
  static EventRow event(io.fabric8.kubernetes.api.model.Event event) {
    var series = Optional.ofNullable(event.getSeries());
    var time =
        Optional.ofNullable(event.getLastTimestamp())
            .or(() -> Optional.ofNullable(event.getEventTime()).map(at -> at.getTime()))
            .orElse(
                Optional.ofNullable(event.getMetadata().getCreationTimestamp())
                    .orElse(Instant.EPOCH.toString()));
    int count =
        series
            .map(each -> each.getCount())
            .or(() -> Optional.ofNullable(event.getCount()))
            .orElse(1);
    return new EventRow(
        time,
        Optional.ofNullable(event.getType()).orElse("Normal"),
        Optional.ofNullable(event.getReason()).orElse(""),
        Optional.ofNullable(event.getMessage()).orElse(""),
        count);
  }
}
