package io.muster.extender;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;
import java.time.Clock;
import java.time.Instant;
import java.util.Set;

@AnalyzeClasses(
    packages = "io.muster.extender",
    importOptions = ImportOption.DoNotIncludeTests.class)
final class LayeringTest {

  @ArchTest
  static final ArchRule THE_CORE_KNOWS_ONLY_JAVA_AND_ITSELF =
      noClasses()
          .that()
          .resideInAPackage("io.muster.extender.core..")
          .should()
          .dependOnClassesThat()
          .resideOutsideOfPackages("java..", "io.muster.extender.core..");

  @ArchTest
  static final ArchRule THE_CORE_DOES_NO_IO_AND_STARTS_NO_THREADS =
      noClasses()
          .that()
          .resideInAPackage("io.muster.extender.core..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.io..", "java.nio.file..", "java.net..")
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Thread.class);

  @ArchTest
  static final ArchRule PACKAGES_OF_THE_CORE_FORM_NO_CYCLE =
      slices().matching("io.muster.extender.core.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule STEPS_OF_A_DECISION_FORM_NO_CYCLE =
      slices().matching("io.muster.extender.core.decision.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule STEPS_OF_A_DECISION_DO_NOT_KNOW_WHO_CALLS_THEM =
      noClasses()
          .that()
          .resideInAPackage("io.muster.extender.core.decision.*..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.muster.extender.core.decision");

  @ArchTest
  static final ArchRule WHAT_IS_KNOWN_DOES_NOT_KNOW_THE_STEPS =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.muster.extender.core.decision.terms..",
              "io.muster.extender.core.decision.burst..",
              "io.muster.extender.core.decision.member..",
              "io.muster.extender.core.decision.state..",
              "io.muster.extender.core.decision.cache..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.muster.extender.core.decision.reserve..",
              "io.muster.extender.core.decision.filter..",
              "io.muster.extender.core.decision.permit..",
              "io.muster.extender.core.decision.recovery..",
              "io.muster.extender.core.decision.loss..",
              "io.muster.extender.core.decision.observe..",
              "io.muster.extender.core.decision.report..",
              "io.muster.extender.core.decision.scheduling..",
              "io.muster.extender.core.decision.forecast..");

  @ArchTest
  static final ArchRule THE_WAYS_TO_AND_FROM_THE_API_DO_NOT_KNOW_EACH_OTHER =
      slices().matching("io.muster.extender.kube.(*)..").should().beFreeOfCycles();

  @ArchTest
  static void noPackageHasMoreThanTwentyClasses(JavaClasses classes) {
    var sizes =
        classes.stream()
            .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
            .filter(type -> type.getPackageName().startsWith("io.muster.extender"))
            .collect(groupingBy(JavaClass::getPackageName, counting()));

    assertThat(sizes)
        .hasSizeGreaterThan(1)
        .allSatisfy((_, size) -> assertThat(size).isLessThanOrEqualTo(20));
  }

  @ArchTest
  static final ArchRule KUBE_DOES_NOT_KNOW_THE_OTHER_ADAPTERS =
      noClasses()
          .that()
          .resideInAPackage("io.muster.extender.kube..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.muster.extender.http..", "io.muster.extender.metrics..");

  @ArchTest
  static final ArchRule METRICS_DO_NOT_KNOW_THE_OTHER_ADAPTERS =
      noClasses()
          .that()
          .resideInAPackage("io.muster.extender.metrics..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.muster.extender.http..", "io.muster.extender.kube..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule HTTP_KNOWS_OF_THE_ADAPTERS_ONLY_HOW_OBJECTS_ARE_READ =
      noClasses()
          .that()
          .resideInAPackage("io.muster.extender.http..")
          .should()
          .dependOnClassesThat(
              DescribedPredicate.describe(
                  "are another adapter's, save Translation and LeanObjects",
                  type ->
                      (type.getPackageName().startsWith("io.muster.extender.kube")
                              || type.getPackageName().startsWith("io.muster.extender.metrics"))
                          && !Set.of("Translation", "LeanObjects").contains(type.getSimpleName())))
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule TIME_COMES_FROM_OUTSIDE =
      noClasses()
          .should()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(Clock.class, "systemUTC");

  @ArchTest
  static final ArchRule NOTHING_PRINTS =
      GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

  @ArchTest
  static final ArchRule NOTHING_LOGS_THROUGH_THE_JDK =
      GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
}
