//! What would come of a custom resource, without doing it: rendered, made into objects, tried on the server.

use super::Controller;
use super::deploy::check_name;
use super::error::Error;
use super::identity::Kinds;
use super::objects::Object;
use super::render::RenderError;
use super::status::Remembered;
use super::trial::{self, Around, Taken};
use super::values::ValuesError;
use crate::cluster::error::{explain, is_not_found};
use crate::cluster::instances::Instance;

/// The server's warnings that are passed on; deprecated versions in large charts give many.
const MOST_WARNINGS: usize = 10;

/// What is thought of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing speaks against it.
    Fine {
        /// What its author should know.
        warnings: Vec<String>,
    },
    /// It can never be carried out as it is.
    Refused(String),
}

impl Verdict {
    /// Lets a resource pass that could not be judged to the end.
    pub(crate) fn unsure(why: impl std::fmt::Display) -> Self {
        Verdict::Fine { warnings: vec![format!("not checked to the end: {why}")] }
    }
}

enum Trial {
    Fine(Vec<String>),
    Refused(String),
    Unsure(String),
}

impl Controller {
    /// Judges a resource that is about to be made or changed. Nothing is written.
    ///
    /// Only what its author can mend is refused: what may come right by itself, and what the operator lacks, is not.
    pub(crate) async fn judge(&self, instance: &Instance, is_new: bool) -> Verdict {
        let secrets = self.secrets(instance);
        let discreet = |text: String| secrets.hide(&text).into_owned();
        match self.judgement(instance, is_new).await {
            Verdict::Fine { warnings } => {
                Verdict::Fine { warnings: warnings.into_iter().map(discreet).collect() }
            }
            Verdict::Refused(why) => Verdict::Refused(discreet(why)),
        }
    }

    async fn judgement(&self, instance: &Instance, is_new: bool) -> Verdict {
        let revision = match Remembered::read(&instance.status()).revision {
            Some(last) if !is_new => last.saturating_add(1),
            _ => 1,
        };
        let (objects, changing) = match self.would_make(instance, revision).await {
            Ok(made) => made,
            Err(error) if is_final(&error) => return Verdict::Refused(error.to_string()),
            Err(error) => return Verdict::unsure(error),
        };
        let known = self.dependents.of(&instance.key).into_keys().map(|id| (id, ())).collect();
        let all: Vec<&Object> = objects.iter().collect();
        let around = Around::new(&all, &known, changing, self.never_deployed(instance));
        let (mut warnings, mut refused) = (Vec::new(), Vec::new());
        for (object, verdict) in self.verdicts(instance, &all, &around).await {
            match self.opinion(instance, object, verdict, is_new, &around).await {
                Trial::Fine(told) => warnings.extend(told),
                Trial::Refused(why) => refused.push(why),
                Trial::Unsure(why) => warnings.push(format!("not checked to the end: {why}")),
            }
        }
        if !refused.is_empty() {
            return Verdict::Refused(format!("the API server refuses {}", refused.join("; ")));
        }
        warnings.truncate(MOST_WARNINGS);
        Verdict::Fine { warnings }
    }

    /// The objects of the next revision, and the kinds whose definitions come before them.
    async fn would_make(&self, instance: &Instance, revision: i64) -> Result<(Vec<Object>, Kinds), Error> {
        check_name(&instance.key.name)?;
        self.check_pin(instance)?;
        let values = self.values(instance)?;
        let is_install = revision == 1;
        let (output, _) = self.render(instance, &values, revision, is_install).await?;
        let crds = self.crds_of(instance, &output.rendered, is_install);
        let (objects, _) = self.build(instance, &output.rendered, crds).await?;
        let definitions = self.try_definitions(instance, crds, &objects, is_install).await?;
        Ok((objects.list, definitions.kinds))
    }

    /// What a verdict means for the author of a resource.
    async fn opinion(
        &self,
        instance: &Instance,
        object: &Object,
        verdict: trial::Verdict,
        is_new: bool,
        around: &Around<'_>,
    ) -> Trial {
        let about = |why: &str| format!("{} ({}): {why}", object.id, object.source);
        match verdict {
            trial::Verdict::Fine(Taken { tried, left_out, .. }) => {
                if tried.exists
                    && !around.known.contains_key(&object.id)
                    && let Some(why) = self.belongs_to_others(instance, object).await
                {
                    return Trial::Unsure(why);
                }
                let unknown = left_out.iter();
                let unknown = unknown.map(|field| format!("its type knows no field {field}; it is left out"));
                let about = |warning| format!("{}: {warning}", object.id);
                Trial::Fine(tried.warnings.into_iter().chain(unknown).map(about).collect())
            }
            // Its namespace or its kind is still to be made.
            trial::Verdict::NotYet | trial::Verdict::NoKind => Trial::Fine(Vec::new()),
            trial::Verdict::Trouble(error) => Trial::Unsure(about(&explain(&error))),
            trial::Verdict::Refused(error, _) if is_not_found(&error) => Trial::Fine(Vec::new()),
            trial::Verdict::Refused(error, why) => {
                // Entries with one key are mended when they are applied.
                let passes = why.contains("duplicate entries for key") || lacks_permission(&error);
                if passes || (is_new && self.belongs_to_another(object, instance).await) {
                    Trial::Unsure(about(&why))
                } else {
                    Trial::Refused(about(&why))
                }
            }
        }
    }

    /// Why an object that is there would not be taken over, which may come right by itself.
    async fn belongs_to_others(&self, instance: &Instance, object: &Object) -> Option<String> {
        let marks = self.writer.marks(&object.kind, &object.id).await.ok()??;
        let stranger = self.stranger(instance, &marks).await?;
        (!stranger.is_adopted(instance))
            .then(|| format!("{} {}; nothing is done as long as that is so", object.id, stranger.told()))
    }

    /// Whether the object is there and another resource's, as after `kubectl delete` and `kubectl apply` in a row: it
    /// will be gone in a moment.
    async fn belongs_to_another(&self, object: &Object, instance: &Instance) -> bool {
        let marks = self.writer.marks(&object.kind, &object.id).await;
        marks.is_ok_and(|marks| {
            marks.is_some_and(|marks| marks.owners.iter().any(|owner| owner.uid != *instance.uid))
        })
    }
}

/// Whether an error is the author's to mend.
fn is_final(error: &Error) -> bool {
    match error {
        // A Secret or ConfigMap may come later.
        Error::Values(ValuesError::From(_)) => false,
        Error::Name(_) | Error::Values(_) | Error::Render(RenderError::Chart(_)) => true,
        // A kind may be served later.
        Error::Objects(problems) => problems.iter().any(|problem| !problem.what.may_pass()),
        _ => false,
    }
}

/// Whether the operator's own role is to blame.
fn lacks_permission(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.is_forbidden() && status.message.contains("\" cannot "))
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

    #[test]
    fn only_what_the_author_can_mend_is_refused() {
        assert!(is_final(&Error::Name("too long".into())));
        assert!(!is_final(&Error::Overtaken));
        assert!(!is_final(&Error::Render(RenderError::Outside("no answer".into()))));
        let forbidden =
            |message: &str| kube::Error::Api(Status::failure(message, "Forbidden").with_code(403).boxed());
        assert!(lacks_permission(&forbidden("x is forbidden: User \"op\" cannot patch resource \"jobs\"")));
        assert!(!lacks_permission(&forbidden("x is forbidden: exceeded quota: compute")));
    }
}
