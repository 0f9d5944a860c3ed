package io.muster.webhook;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;
import java.time.Clock;
import java.time.Instant;

@AnalyzeClasses(
    packages = "io.muster.webhook",
    importOptions = ImportOption.DoNotIncludeTests.class)
final class LayeringTest {

  @ArchTest
  static final ArchRule THE_CORE_KNOWS_ONLY_JAVA_AND_OTHER_CORES =
      noClasses()
          .that()
          .resideInAnyPackage("io.muster.webhook.core..", "io.muster.webhook.port..")
          .should()
          .dependOnClassesThat()
          .resideOutsideOfPackages(
              "java..",
              "io.muster.webhook.core..",
              "io.muster.webhook.port..",
              "io.muster.extender.core..");

  @ArchTest
  static final ArchRule HTTP_DOES_NOT_KNOW_KUBE =
      noClasses()
          .that()
          .resideInAPackage("io.muster.webhook.http..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.muster.webhook.kube..");

  @ArchTest
  static final ArchRule KUBE_DOES_NOT_KNOW_HTTP =
      noClasses()
          .that()
          .resideInAPackage("io.muster.webhook.kube..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.muster.webhook.http..");

  /** Whoever reaches the port can change no decision, and learns of no gang. */
  @ArchTest
  static final ArchRule ADMISSION_KNOWS_NEITHER_GANGS_NOR_DECISIONS =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.muster.webhook.kube..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.muster.extender.core.decision..",
              "io.muster.extender.app..",
              "io.muster.extender.port..",
              "io.muster.extender.kube.gang..",
              "io.muster.extender.kube.write..");

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
