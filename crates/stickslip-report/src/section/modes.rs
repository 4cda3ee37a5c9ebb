//! Contact modes: open, stick, slip.

use std::cmp::Reverse;

use crate::band::{bands, changes};
use crate::contacts::ContactRow;
use crate::plot::left_out;
use crate::run::Run;
use crate::text::natural_order;

/// So many contacts have a band.
const MOST: usize = 60;

/// A band per contact.
pub(crate) fn modes(run: &Run) -> String {
    let labels = &run.contacts.labels;
    if labels.is_empty() {
        return "<p class=remark>No contact was closed at any recorded step.</p>\n".into();
    }
    let time = run.trajectory.time();
    let groups = run.contacts.by_label();
    let mut order: Vec<usize> = (0..labels.len()).collect();
    if labels.len() > MOST {
        order.sort_by_cached_key(|&i| Reverse((changes(time, &groups[i]), groups[i].len())));
        order.truncate(MOST);
    }
    order.sort_by(|&a, &b| natural_order(&labels[a], &labels[b]));
    let shown: Vec<(&str, &[ContactRow])> =
        order.iter().map(|&i| (labels[i].as_str(), &groups[i][..])).collect();

    let mut out = String::from(
        "<p class=\"remark keys\"><span class=open><i></i>open</span> <span class=stick><i></i>stick</span> \
         <span class=slip><i></i>slip</span> <span>A contact closed for less than a pixel is drawn a pixel wide.</span></p>\n",
    );
    out.push_str(&left_out(shown.len(), labels.len(), "contacts", "whose mode changes most often"));
    out.push_str(&bands(time, &shown));
    out
}
